"""The page about `agent.explain()`: its example works, and it leaves no field out."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw

PAGE = Path(__file__).parents[1] / "docs" / "explaining.md"


def fields_of(told: dict[str, Any]) -> set[str]:
    """Return the names of all fields, those of actions and of the winner with where they are."""
    inside = {f"actions[k].{name}" for each in told["actions"] for name in each}
    inside |= {f"winner.{name}" for name in told["winner"]}
    return (told.keys() - {"winner"}) | inside


def test_what_the_page_says_is_so() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 5
    assert found.failed == 0


@pytest.mark.parametrize(
    "policy",
    [
        dw.AdaptiveUCB(),
        dw.BanditOverBandit.tuned(horizon=100, dimension=2, noise=0.1),
        dw.DetectingLinUCB(0.1),
        dw.Master.tuned(horizon=100, dimension=2),
        dw.GLRUCB(0.1, 0.1),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_every_field_is_on_the_page(policy: Any) -> None:
    agent = dw.Agent(policy, decision_set=np.eye(2), is_interpreted=True)
    named = set(re.findall(r"(?<!`)`([^`\n]+)`(?!`)", PAGE.read_text("utf-8")))
    assert fields_of(agent.explain()) <= named


def test_the_picture_is_what_its_command_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from driftwise.cli import run

    page = PAGE.read_text("utf-8")
    (line,) = re.findall(r"^    driftwise ((?:.*\\\n)*.*)$", page, flags=re.M)
    words = shlex.split(line.replace("\\\n", " "))
    target = Path(words[words.index("--explain") + 1])
    assert f"]({target.name})" in page
    monkeypatch.chdir(tmp_path)
    (tmp_path / target.parent).mkdir()
    assert run([*words, "--json"]) == 0
    drawn, kept = ((root / target).read_bytes() for root in (tmp_path, PAGE.parents[1]))
    # What is written in it, first: a difference there says more than one of the lines.
    assert _texts(drawn) == _texts(kept)
    assert drawn == kept, f"draw it again: driftwise {line}"


def _texts(picture: bytes) -> list[str]:
    return re.findall(r"<!-- (.*?) -->", picture.decode())
