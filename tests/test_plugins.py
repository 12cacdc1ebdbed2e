"""Policies and worlds from outside: modules that are named, packages that announce them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from driftwise import registry
from driftwise.registry import all_policies, all_worlds, broken_plugins, find_policy, including

POLICY = '''
from typing import NamedTuple

class {name}(NamedTuple):
    """Does next to nothing."""

    def start(self, n_arms, dimension, fixed): ...
    def restart(self, memory, luck): ...
    def choose(self, memory, actions, luck): ...
    def learn(self, memory, action, choice, reward, luck): ...
'''
WORLD = '''
import numpy as np
from driftwise.worlds import LinearWorld, Sinusoid

class {name}(LinearWorld):
    """Stands still."""

    def path(self, seed, size):
        for t in self.round_numbers(size):
            yield np.full((len(t), 2), 0.5)

class _Private(LinearWorld):
    pass
'''


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], str]]:
    """Give a function that writes a file into the current folder, an empty one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)

    def write_file(name: str, content: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        return name

    yield write_file
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def announce(
    write: Callable[[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    """Give a function that installs nothing but a package's entry points."""
    monkeypatch.syspath_prepend(tmp_path)

    def write_entry_points(text: str) -> None:
        write(
            "theirs-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n"
        )
        write("theirs-1.0.dist-info/entry_points.txt", text)
        registry._announced.cache_clear()

    yield write_entry_points
    registry._announced.cache_clear()


def test_a_module_by_name_and_by_path(write: Callable[[str, str], str]) -> None:
    write("theirs/__init__.py", "from theirs.inner import Inner")
    write("theirs/inner.py", POLICY.format(name="Inner"))
    write("still.py", WORLD.format(name="Still"))
    with including(["theirs", "./still.py", "still"]):
        assert "Inner" in all_policies()
        assert list(all_worlds())[-1] == "Still", "not _Private, nor Sinusoid, nor LinearWorld"
        assert find_policy("Inner").__module__ == "theirs.inner"
    assert "Inner" not in all_policies()


def test_what_a_class_without_a_card_says(write: Callable[[str, str], str]) -> None:
    write("bare.py", POLICY.format(name="Bare") + WORLD.format(name="Still"))
    with including(["bare"]):
        for cls in (all_policies()["Bare"], all_worlds()["Still"]):
            row = registry.row_of(cls)
            assert row["summary"] in ("Does next to nothing.", "Stands still.")
            assert row["source"] == row["guarantee"] == "not stated"


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("import nowhere_at_all", ["ModuleNotFoundError", "nowhere_at_all", "odd.py, line 1"]),
        ("x = 1\ny = x / 0", ["ZeroDivisionError", "odd.py, line 2"]),
        ("def", ["SyntaxError"]),
        ("raise SystemExit(3)", ["SystemExit"]),
        ("x = 1", ["a module with a policy or a world", "'odd.py'"]),
        (POLICY.format(name="Mine").replace("restart", "x"), ["a module with a policy or a world"]),
        (POLICY.format(name="UCB1"), ["a class UCB1, as driftwise itself has", "odd.UCB1"]),
        (WORLD.format(name="Sinusoid"), ["a class Sinusoid, as driftwise itself has"]),
    ],
)
def test_a_module_that_is_no_good(
    content: str, parts: list[str], write: Callable[[str, str], str]
) -> None:
    write("odd.py", content)
    with pytest.raises(ValueError, match="from must") as caught, including(["odd.py"]):
        pass
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "UCB1" in all_policies(), "the rest is as before"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("none.py", "there is no such file"),
        ("nowhere.at.all", "ModuleNotFoundError"),
        ("random.py", "another module is named random"),
        ("colorsys.py", "another module is named colorsys"),  # that nobody has imported yet
    ],
)
def test_a_module_that_cannot_be_had(
    name: str, part: str, write: Callable[[str, str], str]
) -> None:
    if name in ("random.py", "colorsys.py"):
        write(name, POLICY.format(name="Mine"))
    with pytest.raises(ValueError, match=part), including([name]):
        pass


def test_two_modules_with_the_same_name_for_a_class(write: Callable[[str, str], str]) -> None:
    write("one.py", POLICY.format(name="Same"))
    write("two.py", POLICY.format(name="Same"))
    with pytest.raises(ValueError, match="another module has"), including(["one", "two"]):
        pass


def test_entry_points(announce: Callable[[str], None], write: Callable[[str, str], str]) -> None:
    write("their_policies.py", POLICY.format(name="Theirs") + POLICY.format(name="Other"))
    write("their_worlds.py", WORLD.format(name="Still"))
    announce(
        "[driftwise.policies]\nTheirs = their_policies:Theirs\n"
        "[driftwise.worlds]\nall = their_worlds\n"
    )
    assert find_policy("UCB1").__name__ == "UCB1"
    assert "their_policies" not in sys.modules, "nobody asked for it yet"
    assert find_policy("Theirs").__module__ == "their_policies"
    assert "Other" not in all_policies(), "it was not announced"
    assert "Still" in all_worlds()
    assert broken_plugins() == []
    write("mine.py", POLICY.format(name="Theirs"))
    with including(["mine"]):
        assert find_policy("Theirs").__module__ == "mine", "the version at hand is meant"


def test_broken_plugins_do_not_break_the_rest(
    announce: Callable[[str], None], write: Callable[[str, str], str]
) -> None:
    write("their_policies.py", POLICY.format(name="Theirs"))
    write("taken.py", POLICY.format(name="UCB1"))
    write("bad.py", "x = 1\ny = x / 0")
    announce(
        "[driftwise.policies]\ngone = no_such_module:Gone\nUCB1 = taken:UCB1\nbad = bad:Bad\n"
        "Theirs = their_policies:Theirs\nstrange = their_policies:POLICY\n"
        "again = their_policies:Theirs\n"
        "[driftwise.worlds]\nwrong = their_policies:Theirs\n"
    )
    assert "Theirs" in all_policies()
    assert all_policies()["UCB1"].__module__ == "driftwise.policies.ucb1"
    sentences = broken_plugins()
    assert len(sentences) == 5
    assert not any("__init__.py" in sentence for sentence in sentences), "Python is not to blame"
    for part in (
        "(ModuleNotFoundError: No module named 'no_such_module')",
        "(ZeroDivisionError: division by zero, bad.py, line 2)",
        "UCB1, as driftwise itself has",
        "strange",
        "must name a world",
    ):
        assert sum(part in sentence for sentence in sentences) == 1
    with pytest.raises(ValueError, match="Gone") as caught:
        find_policy("Gone")
    assert any("no_such_module" in note for note in caught.value.__notes__)
