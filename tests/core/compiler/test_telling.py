"""A word for whoever waits for the compiler, and only for them."""

import io
import sys
import threading
import time
from typing import Any

import pytest
from numba import typeof

import driftwise as dw
from driftwise.core.compiler import telling


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_PATIENCE", 0.02)
    monkeypatch.setattr(telling, "_told", set())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def said_on(stream: io.StringIO, seconds: float, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is said when a policy is compiled twice, with its rules inside."""
    monkeypatch.setattr(sys, "stderr", stream)
    compile_twice([typeof(dw.UCB1())], seconds)
    return stream.getvalue()


def compile_twice(kinds: list[Any], seconds: float) -> None:
    for _ in range(2):
        telling._begin("loop", kinds)
        telling._begin("choose", kinds)
        time.sleep(seconds)
        telling._end()
        telling._end()
    time.sleep(0.1)


def test_a_terminal_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = said_on(Terminal(), 0.3, monkeypatch).splitlines()
    assert line.startswith("driftwise: compiling UCB1 ... (once; kept in ")


def test_what_takes_long_counts_its_seconds_and_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second compilation, too, which has been told of already."""
    monkeypatch.setattr(telling, "_PAUSE", 0.02)
    monkeypatch.setattr(telling, "_told", {"UCB1"})
    *seconds, trace, rest = said_on(Terminal(), 0.3, monkeypatch).split("\r")
    assert len(seconds) >= 4
    assert seconds[0].rstrip() == "driftwise: compiling UCB1, 0 s so far"
    assert (trace.strip(), rest) == ("", "")


def test_what_is_quick_is_not_worth_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_PATIENCE", 0.3)
    assert said_on(Terminal(), 0.0, monkeypatch) == ""


def test_a_pipe_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_on(io.StringIO(), 0.1, monkeypatch) == ""


def test_what_has_no_policy_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    compile_twice([typeof(1.0)], 0.3)
    assert sys.stderr.getvalue().startswith("driftwise: compiling loop ... ")  # type: ignore[union-attr]  # ours


@pytest.mark.parametrize(("name", "is_told"), [("worker", True), ("driftwise compiler", False)])
def test_threads_that_nobody_waits_for_say_nothing(
    name: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    thread = threading.Thread(target=compile_twice, args=[[typeof(dw.UCB1())], 0.3], name=name)
    thread.start()
    thread.join()
    assert bool(sys.stderr.getvalue()) == is_told  # type: ignore[union-attr]  # ours
