"""Every command that a page names is there, with its options; what commands do is tested elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from typer.main import get_command

from driftwise.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.name != "CHANGELOG.md"  # which says what was, too
]
GROUP: Any = cast(Any, get_command(app))
# On lines of their own, indented or in a fence of shell, and within sentences.
_FENCE = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
_LINE = re.compile(r"^(?:    )?driftwise (?! )(.*)$", re.M)
_INDENTED = re.compile(r"^    driftwise (?! )(.*)$", re.M)
_WITHIN = re.compile(r"`driftwise (?! )([^`\n]*)`")
FORMAT = "agent 2"  # of a file, which is no command


def named_in(text: str) -> Iterator[str]:
    """Yield the words after ``driftwise`` of every command that a page names."""
    text = text.replace("\\\n", " ")
    for fence in _FENCE.finditer(text):
        yield from (found[1] for found in _LINE.finditer(fence[1]))
    for pattern in (_INDENTED, _WITHIN):
        yield from (found[1] for found in pattern.finditer(text) if found[1] != FORMAT)


def problem_of(words: str) -> str | None:
    """Return what is wrong with a command, if anything is."""
    left, command = shlex.split(words.split(" > ")[0], comments=True), GROUP
    while left and hasattr(command, "commands") and not left[0].startswith("-"):
        name, *left = left
        several = [command.commands.get(each) for each in name.split("|")]
        if None in several:
            return f"there is no command {name}"
        command = several[0]
    known = {"--help", "-h"} | {
        name for each in command.params for name in (*each.opts, *each.secondary_opts)
    }
    options = [each.partition("=")[0] for each in left if re.match(r"--?[a-z]", each)]
    return next((f"there is no option {each}" for each in options if each not in known), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_there(page: Path) -> None:
    wrong = {words: problem_of(words) for words in named_in(page.read_text("utf-8"))}
    assert {words: problem for words, problem in wrong.items() if problem} == {}


def test_what_is_wrong_is_found() -> None:
    page = "    driftwise run mine.toml --quikc\n\nSee `driftwise rnu`.\n\n```sh\ndriftwise log verfiy x\n```\n"
    assert [problem_of(words) for words in named_in(page)] == [
        "there is no command verfiy", "there is no option --quikc", "there is no command rnu",
    ]  # fmt: skip
    assert sum(1 for page in PAGES for _ in named_in(page.read_text("utf-8"))) > 50
