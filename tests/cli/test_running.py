"""What all commands have in common: help, JSON, readable text, nothing heavy."""

from __future__ import annotations

from typing import Any, cast

import pytest
from typer.main import get_command

import driftwise as dw
from driftwise.cli import app, run
from driftwise.cli.app import DOORS

COMMANDS = list(cast(Any, get_command(app)).commands)
HEAVY = ["numba", "matplotlib", "polars"]
# One small call of each command that does not take long.
SMALL = {
    "simulate": ["simulate", "--horizon", "400", "--replications", "3", "--checkpoints", "4"],
    "windows": ["windows", "--horizon", "30000", "--dimension", "2", "--variation", "1"],
    "recommend": ["recommend", "--arms", "3", "--horizon", "1000", "--noise", "0.1"],
    "policies": ["policies"],
    "policy": ["policies", "SlidingWindowUCB"],
    "worlds": ["worlds"],
    "world": ["worlds", "Switching", "--horizon", "500"],
}


def test_every_command_is_behind_one_door(shell: Any) -> None:
    shown = shell.call("--help").out
    assert sorted(name for names in DOORS.values() for name in names) == sorted(COMMANDS)
    for door, names in DOORS.items():
        behind = shown.split(f"\n{door}:\n")[1].split("\n\n")[0].splitlines()
        assert [line.split()[0] for line in behind] == list(names)


@pytest.mark.parametrize("name", SMALL)
def test_json_is_one_document_and_nothing_else(shell: Any, name: str) -> None:
    answer = shell.call(*SMALL[name], "--json")
    assert answer.code == 0
    assert answer.err == ""
    assert isinstance(shell.read_json(answer.out), dict)


def test_a_recommendation_is_what_one_would_type(shell: Any) -> None:
    assert shell.call(*SMALL["recommend"]).out.splitlines()[1].strip() == "AdaptiveUCB()"


@pytest.mark.parametrize("width", [80])
@pytest.mark.parametrize("name", SMALL)
def test_text_is_readable_in_a_pipe(shell: Any, name: str, width: int) -> None:
    answer = shell.call(*SMALL[name], COLUMNS=str(width))
    assert answer.code == 0
    assert answer.err == ""
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert "…" not in answer.out, "nothing is cut"


def test_version(shell: Any) -> None:
    assert shell.call("--version") == (0, f"driftwise {dw.__version__}\n", "")


def test_nothing_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    captured = capsys.readouterr()
    assert all(name in captured.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_in_a_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help"]) == 0
    text = capsys.readouterr().out
    command: Any = get_command(app)
    for parameter in command.commands[name].params:
        assert parameter.help.endswith("."), parameter.name
        assert parameter.help[0].isupper(), parameter.name
        assert parameter.hidden or parameter.opts[0] in text or parameter.metavar in text
    first = command.commands[name].help.split("\n")[0]
    assert first.endswith(".")
    assert run(["--help"]) == 0
    assert first in capsys.readouterr().out, "the list of commands cuts no sentence short"


def test_help_imports_nothing_heavy(shell: Any) -> None:
    script = f"""
import sys
from driftwise.cli import run
for words in [["--help"], ["--version"], *([name, "--help"] for name in {COMMANDS})]:
    assert run(words) == 0
print([name for name in {HEAVY} if name in sys.modules])
"""
    answer = shell.execute("-c", script)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[-1] == "[]"


def test_windows_needs_no_compiler(shell: Any) -> None:
    script = (
        "import sys; from driftwise.cli import run; run(['windows']); print('numba' in sys.modules)"
    )
    assert shell.execute("-c", script).out.splitlines()[-1] == "False"
