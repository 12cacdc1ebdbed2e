"""A word for whoever waits for the compiler, and only for them."""

import io
import sys
import time

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
    kinds = [typeof(dw.UCB1())]
    for _ in range(2):
        telling._begin(kinds)
        telling._begin(kinds)
        time.sleep(seconds)
        telling._end()
        telling._end()
    time.sleep(0.1)
    return stream.getvalue()


def test_a_terminal_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = said_on(Terminal(), 0.3, monkeypatch).splitlines()
    assert line.startswith("driftwise: compiling UCB1 ... (once; kept in ")


def test_what_is_quick_is_not_worth_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_PATIENCE", 0.3)
    assert said_on(Terminal(), 0.0, monkeypatch) == ""


def test_a_pipe_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_on(io.StringIO(), 0.1, monkeypatch) == ""
