"""A bar for whoever waits, and only for them."""

import io
import itertools
import re
import sys
import threading
from contextlib import redirect_stderr
from types import SimpleNamespace

import pytest

import driftwise as dw
from driftwise.core.base import waiting
from driftwise.core.base.waiting import Waiting, watched


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE", 0.0)
    monkeypatch.setattr(waiting, "_PAUSE", 0.0)


def work() -> None:
    with Waiting(4, "Playing") as bar:
        bar.advance(1)
        bar.say("Drawing")
        bar.skip(1)
        bar.advance(2)


def test_a_terminal_gets_a_bar_that_goes_away() -> None:
    with redirect_stderr(Terminal()) as terminal:
        work()
    first, second, blank = terminal.getvalue().split("\r")[1::2]
    assert first == "Playing [########......................] 25%"
    assert second.startswith("Drawing [##############################] 100%, about 0 s left")
    assert blank.strip() == ""
    assert len(blank) == len(second.rstrip())


def test_short_work_is_not_worth_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE", 1000.0)
    with redirect_stderr(Terminal()) as terminal:
        work()
    assert terminal.getvalue() == ""


def test_a_pipe_is_left_alone() -> None:
    with redirect_stderr(io.StringIO()) as pipe:
        work()
    assert pipe.getvalue() == ""


def test_a_notebook_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    with redirect_stderr(io.StringIO()) as pipe:
        work()
    assert "Playing [####" in pipe.getvalue()


def test_other_threads_are_quiet() -> None:
    thread = threading.Thread(target=work)
    with redirect_stderr(Terminal()) as terminal:
        thread.start()
        thread.join()
    assert terminal.getvalue() == ""


def test_simulations_show_how_far_they_are() -> None:
    world, policies = dw.worlds.Sinusoid(horizon=100), [dw.Uniform(), dw.Uniform()]
    with redirect_stderr(Terminal()) as terminal:
        dw.simulate_all(policies, world, chunk=50)
    shares = re.findall(r"[0-9]+%", terminal.getvalue())
    assert shares == ["25%", "50%", "75%", "100%"]


def test_quiet_is_quiet() -> None:
    with redirect_stderr(Terminal()) as terminal:
        dw.simulate(dw.Uniform(), dw.worlds.Sinusoid(horizon=100), quiet=True)
    assert terminal.getvalue() == ""


def test_a_slow_start_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that took 100 seconds, and then one a second: 50 of them are left."""
    clock = itertools.chain([0.0, 100.0], itertools.count(101.0))
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with redirect_stderr(Terminal()) as terminal, Waiting(100, "Playing") as bar:
        for _ in range(50):
            bar.advance(1)
    assert terminal.getvalue().rstrip().endswith("50%, about 50 s left")


def test_what_has_no_end_in_sight_is_counted() -> None:
    with redirect_stderr(Terminal()) as terminal:
        assert list(watched(iter("abc"), "Reading", weigh=lambda _: 500)) == ["a", "b", "c"]
    assert re.findall(r"Reading [0-9,]+ so far", terminal.getvalue()) == [
        "Reading 500 so far", "Reading 1,000 so far", "Reading 1,500 so far",
    ]  # fmt: skip


def test_a_log_is_watched_when_it_is_replayed() -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True)
    log = [(agent.choose(), 1.0) for _ in range(4)]
    with redirect_stderr(Terminal()) as terminal:
        agent.replayed(log)
    assert re.findall(r"[0-9]+%", terminal.getvalue()) == ["25%", "50%", "75%", "100%"]
