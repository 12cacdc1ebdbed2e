"""When rewards that come late are learnt: against a version for reading, whatever the chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.engine import schedule as module
from driftwise.core.engine.schedule import Schedule
from tests.core.engine.late_by_hand import arrivals_by_hand

bounded = settings(derandomize=True, deadline=None, max_examples=60, database=None)
delays = st.lists(st.integers(0, 12) | st.just(dw.delays.NEVER), min_size=1, max_size=40)


def learnt(schedule: Schedule, horizon: int, chunk: int) -> list[list[int]]:
    """Return the same as `arrivals_by_hand`, and look after the rows as a policy would."""
    found: list[list[int]] = []
    rows: list[int] = []  # the round of each
    for first in range(0, horizon, chunk):
        new = range(first, min(first + chunk, horizon))
        arrivals = schedule.next_chunk(len(new))
        rows = [rows[row] for row in arrivals.staying] + list(new)
        assert [rows[row] for row in arrivals.order] == arrivals.decided.tolist()
        parts = np.split(arrivals.decided, arrivals.ends)
        assert parts.pop().size == 0  # each arrives in some round
        found.extend(part.tolist() for part in parts)
    return found


@given(delays=delays, chunk=st.integers(1, 45))
@bounded
def test_rewards_are_learnt_when_they_arrive(delays: list[int], chunk: int) -> None:
    schedule = Schedule(dw.delays.Recorded(delays), len(delays), seed=0)
    assert learnt(schedule, len(delays), chunk) == arrivals_by_hand(delays)


@pytest.mark.parametrize(
    "delay",
    [
        dw.delays.Geometric(7.5),
        dw.delays.HeavyTailed(5.0, exponent=0.8),
        dw.delays.Batches(period=13, delay=dw.delays.Geometric(4.0)),
        dw.delays.Missing(0.3, delay=dw.delays.Missing(0.2, delay=dw.delays.Geometric(9.0))),
    ],
    ids=lambda delay: type(delay).__name__,
)
def test_no_delay_depends_on_the_chunk(delay: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 64)  # so that few rounds are several blocks
    whole = learnt(Schedule(delay, 500, seed=3), 500, 500)
    for chunk in (1, 61, 64, 130):
        assert learnt(Schedule(delay, 500, seed=3), 500, chunk) == whole
    assert learnt(Schedule(delay, 500, seed=4), 500, 500) != whole


def test_what_will_not_arrive_is_not_kept() -> None:
    late = [dw.delays.NEVER, 9, 0, 2] * 25
    schedule = Schedule(dw.delays.Recorded(late), 100, seed=0)
    for last in range(10, 101, 10):
        schedule.next_chunk(10)
        flying = [t for t in range(last) if last <= t + late[t] < 100]
        assert schedule._decided.tolist() == flying


class Uneven:
    def __init__(self, drawn: Any) -> None:
        self.drawn = drawn

    def draw(self, rounds: NDArray[np.int64], random: np.random.Generator) -> Any:
        return self.drawn


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ([0.5, 1.0], r"delay must draw integers of shape \(2,\), got float64 of \(2,\)"),
        ([1, 2, 3], r"delay must draw integers of shape \(2,\), got int64 of \(3,\)"),
        ([3, -1], "delay must draw integers of at least 0, got -1"),
    ],
)
def test_a_broken_delay_is_refused(drawn: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Schedule(Uneven(drawn), 2, seed=0).next_chunk(2)


@pytest.mark.parametrize("around", [lambda d: d, lambda d: dw.delays.Missing(0.1, d)])
def test_records_of_other_rounds_are_refused(around: Any) -> None:
    delay = around(dw.delays.Recorded([1, 2, 3]))
    with pytest.raises(ValueError, match="delay must have 5 rounds, as the world has, got 3"):
        Schedule(delay, 5, seed=0)
