"""All traffic by posterior worlds: against the truth, and what is said where the model is wrong."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import Moving, arms_log, as_log, linear_log
from driftwise.workers.engines import Backend

POLICIES = {"short": dw.SlidingWindowUCB(window=100, noise=0.5), "all": dw.LinUCB(noise=0.5)}


def truth(moving: Moving, policies: dict[str, Any], plays: int = 4) -> dict[str, float]:
    """Return what policies earn in the world that the log is a log of, noise drawn anew."""
    totals = dict.fromkeys(policies, 0.0)
    n = len(moving.means)
    for seed in range(plays):
        noise = 0.5 * np.random.default_rng(seed).standard_normal((n, 1))
        world = dw.worlds.Recorded(
            decision_sets=moving.events.actions, rewards=moving.means + noise, means=moving.means
        )
        best = moving.means.max(axis=1).sum()
        for name, policy in policies.items():
            regret = dw.simulate(policy, world, seed=seed).total_regret
            totals[name] += float(best - regret) / n / plays
    return totals


def test_names_that_others_rely_on() -> None:
    log = as_log(linear_log(0, "walk", n=1000))
    result = dw.evaluation.all_traffic(log, POLICIES, draws=3)
    found = result["short"]
    assert found.low < found.value < found.high
    assert "decided in each" in found.estimand
    assert found.over_time is not None
    assert found.over_time.value.mean() == pytest.approx(found.value)
    gap = result.compare("short", "all")
    assert gap.value == pytest.approx(found.value - result["all"].value)
    assert result.compare("all", "log").value == pytest.approx(
        result["all"].value - result.log.value
    )
    told = result.as_dict()["policies"]["short"]
    assert told["draws"] == 3
    assert told["advice"]["low"] < told["advice"]["value"]
    again = dw.evaluation.all_traffic(log, POLICIES, draws=3, jobs=1)
    assert again.as_dict() == result.as_dict(), "who works, and in which order, changes nothing"


def test_the_interval_is_its_formula() -> None:
    found = dw.evaluation.all_traffic(as_log(linear_log(1, "walk", n=1000)), POLICIES, draws=5)
    told = found["short"].details
    spread, error = told["spread"], told["shift_error"]
    half = 1.9599639845 * math.sqrt(spread**2 * (1 + 1 / 5) + error**2) + abs(told["shift"])
    assert found["short"].high - found["short"].value == pytest.approx(half)
    assert told["z"] == pytest.approx(told["shift"] / error)


def test_a_model_that_is_wrong_is_rejected_first() -> None:
    """Rewards are a hump along the only feature, which no linear model can be."""
    random = np.random.default_rng(0)
    rows, means = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, 1.0]]), np.array([0.0, 1.0, 0.4])
    log = dw.Log(
        {"decision_set": rows.tolist(), "action": int(k), "propensities": [1 / 3] * 3,
         "reward": float(means[k] + 0.1 * random.standard_normal())}
        for k in random.integers(3, size=2000)
    )  # fmt: skip
    found = dw.evaluation.all_traffic(log, {"mine": dw.LinUCB(noise=0.1)}, draws=3)
    mine = found["mine"]
    assert mine.details["is_rejected"]
    assert "The model is rejected" in mine.warnings[0]
    assert "advice" in mine.warnings[0]
    for gap in (found.compare("mine", "log"), found.compare("log", "mine")):
        assert gap.says.startswith("By a model that is rejected: ")
    lines = found.as_text().splitlines()
    assert lines.index(next(each for each in lines if each.startswith("mine as advice"))) < (
        lines.index(next(each for each in lines if each.startswith("mine: ")))
    )


def test_rewards_without_noise_do_not_reject_the_model() -> None:
    """The prior makes forecasts miss by some 1e-8, and nothing else does: many standard errors."""
    random = np.random.default_rng(0)
    log = dw.Log(
        {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5], "reward": 1.0 + k}
        for k in random.integers(2, size=300)
    )
    mine = dw.evaluation.all_traffic(log, {"mine": dw.UCB1()}, draws=2)["mine"]
    assert not mine.details["is_rejected"]
    assert mine.details["z"] == 0.0


def test_rewards_may_have_a_level_that_rows_have_not() -> None:
    """Fresh unit rows without a constant, rewards around 2: without a level no model would be linear."""
    moving = linear_log(3, "rotating", n=2000)
    lifted = moving._replace(
        events=replace(moving.events, reward=moving.events.reward + 2.0), means=moving.means + 2.0
    )
    found = dw.evaluation.all_traffic(as_log(lifted), POLICIES, draws=6)
    true = truth(lifted, POLICIES)
    for name in POLICIES:
        assert not found[name].details["is_rejected"]
        assert found[name].value == pytest.approx(true[name], abs=0.05)
        assert found[name].low < true[name] < found[name].high


def test_without_propensities_there_is_no_interval() -> None:
    moving = arms_log(3)
    log = dw.Log(
        {"actions": ["a", "b", "c", "d"], "action": int(a), "reward": float(r)}
        for a, r in zip(moving.events.chosen, moving.events.reward, strict=True)
    )
    found = dw.evaluation.all_traffic(log, POLICIES, draws=2)["short"]
    assert math.isnan(found.low)
    assert "no propensity" in found.warnings[0]
    assert 0.0 < found.value < 1.0


def test_late_rewards_are_late_in_drawn_worlds_as_well() -> None:
    moving = linear_log(2, "rotating", n=1500)
    time = np.arange(1500.0)
    soon, late = (
        dw.evaluation.all_traffic(
            as_log(moving, time=time.tolist(), reward_time=(time + delay).tolist()),
            POLICIES,
            draws=4,
        )["short"].value
        for delay in (0.5, 200.5)
    )
    assert late < soon - 0.1


def test_draws_are_at_least_two() -> None:
    with pytest.raises(ValueError, match="draws must be at least 2"):
        dw.evaluation.all_traffic(as_log(arms_log(0)), POLICIES, draws=1)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_other_processes_play_the_same_worlds(backend: str) -> None:
    # In a process of its own: Dask leaves sockets to the garbage collector, which would fail any later test.
    code = f"from {__name__} import play_the_same_worlds as play; play({backend!r})"
    command = [sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True, timeout=250)


def play_the_same_worlds(backend: Backend) -> None:
    log = as_log(linear_log(0, "walk", n=500))
    here = dw.evaluation.all_traffic(log, POLICIES, draws=3, backend="threading")
    there = dw.evaluation.all_traffic(log, POLICIES, draws=3, backend=backend, jobs=2)
    assert there.as_dict() == here.as_dict()


@pytest.mark.slow
@pytest.mark.parametrize("world", ["rotating", "switching", "walk", "stationary"])
def test_posterior_worlds_are_near_the_truth(world: str) -> None:
    """30 logs of 4,000 events: the mean error is within .02, and intervals hold in 19 of 20."""
    windows = {f"{w}": dw.SlidingWindowUCB(window=w, noise=0.5) for w in (50, 200, 800)}
    errors, hits = [], 0
    for seed in range(30):
        moving = linear_log(seed, world)
        found = dw.evaluation.all_traffic(as_log(moving), windows, draws=6, seed=seed)
        true = truth(moving, windows)
        errors.append([found[name].value - true[name] for name in windows])
        hits += sum(found[name].low <= true[name] <= found[name].high for name in windows)
    assert np.abs(np.mean(errors, axis=0)).max() <= 0.02
    assert hits >= 0.95 * 30 * len(windows)
