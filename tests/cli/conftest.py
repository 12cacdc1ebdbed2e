"""Calling the command line: as a person does, in a process of its own, or quickly in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from driftwise.cli import run


class Answer(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """The command line as a person has it before them."""

    def environment(self, **others: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
        return kept | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"} | others

    def call(self, *words: str, **others: str) -> Answer:
        """Call it in a process of its own; ``others`` are environment variables."""
        return self.execute("-m", "driftwise", *words, **others)

    def execute(self, *words: str, **others: str) -> Answer:
        done = subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            encoding="utf-8",
            env=self.environment(**others),
            timeout=240,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def read_json(self, text: str) -> Any:
        """Read exactly one strict JSON document."""

        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is not JSON")

        return json.loads(text, parse_constant=refuse)

    def assert_refusal(self, answer: Answer) -> None:
        assert answer.code == 2
        assert answer.out == ""
        assert answer.err.count("\n") == 1, "one sentence, on one line"
        assert answer.err.startswith("Error: ")
        assert "Traceback" not in answer.err


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.fixture
def document(shell: Shell, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Give a function that runs a command here and returns its JSON."""

    def run_here(*words: str) -> Any:
        assert run([*words, "--json"]) == 0
        return shell.read_json(capsys.readouterr().out)

    return run_here


@pytest.fixture
def text(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Give a function that runs a command here and returns what it prints, on one line."""

    def run_here(*words: str) -> str:
        assert run(list(words)) == 0
        return " ".join(capsys.readouterr().out.split())

    return run_here


@pytest.fixture
def refusal(shell: Shell, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Give a function that runs a command here, which must refuse, and returns the sentence."""

    def run_here(*words: str) -> str:
        code = run(list(words))
        captured = capsys.readouterr()
        shell.assert_refusal(Answer(code, captured.out, captured.err))
        return captured.err

    return run_here
