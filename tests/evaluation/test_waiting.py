"""Evaluations say how far they are, to whoever waits and looks."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.base import waiting
from driftwise.evaluation import forecasts, walking


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def log() -> dw.Log:
    random = np.random.default_rng(0)
    return dw.Log(
        {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5], "reward": float(k)}
        for k in random.integers(2, size=200)
    )


POLICIES = {"first": dw.UCB1(), "second": dw.UCB1()}
BY_POLICY: dict[str, tuple[Callable[..., Any], str]] = {
    "advice": (dw.evaluation.advice, "Asking in every event"),
    "share": (dw.evaluation.share, "Learning on a share"),
    "replay": (dw.evaluation.replay, "Replaying"),
    "all_traffic": (dw.evaluation.all_traffic, "Playing in worlds that the log speaks for"),
}


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE", 0.0)
    monkeypatch.setattr(waiting, "_PAUSE", 0.0)
    monkeypatch.setattr(walking, "_STRETCH", 50)
    monkeypatch.setattr(forecasts, "_STRETCH", 50)


def shares(text: str, says: str) -> list[str]:
    return re.findall(rf"{says} \[[#.]+\] ([0-9]+)%", text)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", BY_POLICY)
def test_a_terminal_sees_how_far_policies_are(name: str, log: dw.Log) -> None:
    evaluate, says = BY_POLICY[name]
    with redirect_stderr(Terminal()) as terminal:
        evaluate(log, POLICIES)
    seen = [int(each) for each in shares(terminal.getvalue(), says)]
    assert seen == sorted(seen)
    assert len(set(seen)) >= 4
    assert max(seen) == 100


@pytest.mark.usefixtures("_impatient")
def test_one_policy_does_not_jump_from_nothing_to_everything(log: dw.Log) -> None:
    with redirect_stderr(Terminal()) as terminal:
        dw.evaluation.advice(log, {"mine": dw.UCB1()})
    assert shares(terminal.getvalue(), "Asking in every event")[:4] == ["25", "50", "75", "100"]


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", ["value", "forgetting"])
def test_forecasts_tell_how_far_they_are(name: str, log: dw.Log) -> None:
    with redirect_stderr(Terminal()) as terminal:
        dw.evaluation.value(log, "a") if name == "value" else dw.evaluation.forgetting(log)
    assert shares(terminal.getvalue(), "Forecasting rewards")[:4] == ["25", "50", "75", "100"]


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", BY_POLICY)
def test_a_pipe_is_left_alone(name: str, log: dw.Log) -> None:
    with redirect_stderr(io.StringIO()) as pipe:
        BY_POLICY[name][0](log, POLICIES)
    assert pipe.getvalue() == ""


def test_quick_work_is_silent(log: dw.Log) -> None:
    dw.evaluation.advice(log, POLICIES)  # compiles
    with redirect_stderr(Terminal()) as terminal:
        dw.evaluation.advice(log, POLICIES)
        dw.evaluation.value(log, "a")
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("_impatient")
def test_stretches_change_nothing(log: dw.Log, monkeypatch: pytest.MonkeyPatch) -> None:
    short = [dw.evaluation.advice(log[:], POLICIES)["first"], dw.evaluation.value(log[:], "a")]
    monkeypatch.setattr(walking, "_STRETCH", 1000)
    monkeypatch.setattr(forecasts, "_STRETCH", 1000)
    whole = [dw.evaluation.advice(log[:], POLICIES)["first"], dw.evaluation.value(log[:], "a")]
    for one, other in zip(short, whole, strict=True):
        assert one.outcomes is not None
        assert other.outcomes is not None
        assert np.array_equal(one.outcomes, other.outcomes)
