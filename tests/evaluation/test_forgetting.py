"""Does forgetting pay: against sums written out by hand, worlds that are known, and what is said."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import Moving, Numbers, arms_log, as_log, linear_log
from driftwise.evaluation.forecasts import windows_for
from driftwise.evaluation.gains import Gain


def gains_of(moving: Moving, **options: Any) -> dw.evaluation.Gains:
    return dw.evaluation.forgetting(as_log(moving), **options)


def slow_forecasts(rows: Numbers, targets: Numbers) -> tuple[Numbers, Numbers]:
    """Return forecasts by the window that was best so far, and by all: solved anew in every event."""
    n, d = rows.shape
    ridge = 1e-3 * (rows * rows).sum(axis=1).mean()
    windows = windows_for(n, d)
    guesses = np.zeros((n, len(windows)))
    chosen = np.zeros(n)
    for t in range(n):
        for j, w in enumerate(windows):
            x, y = rows[max(0, t - w) : t], targets[max(0, t - w) : t]
            guesses[t, j] = rows[t] @ np.linalg.solve(x.T @ x + ridge * np.eye(d), x.T @ y)
        past = slice(min(n // 10, 50 * d), t)
        losses = ((targets[past, None] - guesses[past]) ** 2).sum(axis=0)[::-1]
        chosen[t] = guesses[t, len(windows) - 1 - int(losses.argmin())]
    return chosen, guesses[:, -1]


def test_gains_are_sums_written_out() -> None:
    moving = linear_log(0, "rotating", n=400)
    found = gains_of(moving)
    events, later = moving.events, slice(40, None)
    rows, reward = events.rows_of(events.chosen), events.reward
    best, everything = slow_forecasts(rows, reward)
    gap = ((reward - everything) ** 2 - (reward - best) ** 2)[later]
    assert found.events == 360
    assert found.forecast.value == pytest.approx(gap.mean(), rel=1e-6)
    half = 1.9599639845 * gap.std(ddof=1) / math.sqrt(360)
    assert found.forecast.high - found.forecast.value == pytest.approx(half, rel=1e-6)
    mean = events.actions.mean(axis=1)
    centred = reward - reward[:40].mean()
    y = centred - slow_forecasts(mean, centred)[0]
    best, everything = slow_forecasts(rows - mean, y)
    gap = ((y - everything) ** 2 - (y - best) ** 2)[later]
    assert found.contrasts.value == pytest.approx(gap.mean(), rel=1e-6)
    assert found.contrasts.relative == pytest.approx(
        gap.mean() / ((y - everything)[later] ** 2).mean()
    )


def test_no_gain_has_no_sign() -> None:
    for relative, shown in ((-0.0004, "+0.0%"), (-0.0006, "-0.1%"), (math.nan, "")):
        gain = Gain("forecasts", 0.0, -1.0, 1.0, "", (), relative)
        assert gain.shown_share == shown


def test_where_the_world_turns_all_three_pay() -> None:
    found = gains_of(linear_log(1, "rotating"))
    assert found.forecast.pays
    assert found.contrasts.pays
    assert found.decisions.pays
    assert found.window is not None
    assert "Forgetting pays" in found.says
    assert found.as_dict()["decisions"]["low"] == found.decisions.low
    assert found.decisions.says in str(found)


def drifting_level(seed: int) -> Moving:
    """Return arms that stand still beside each other, on a level that waves."""
    moving = arms_log(seed, n=3000, share=1.0, is_click=False)
    t, arms = np.arange(3000), moving.events.chosen
    means = 2.0 * np.sin(t / 150.0)[:, None] + np.array([0.0, 0.1, 0.2, 0.3])
    noise = moving.events.reward - moving.means[t, arms]
    return Moving(replace(moving.events, reward=means[t, arms] + noise), means)


def test_a_level_that_drifts_is_needed_by_no_decision() -> None:
    found = gains_of(drifting_level(0))
    assert found.forecast.pays
    assert found.forecast.relative > 0.3
    assert not found.contrasts.pays
    assert not found.decisions.pays
    assert "does not pay" in found.says


@pytest.mark.parametrize("level", [100.0, 1e6])
def test_a_level_far_above_the_noise_is_no_drift_of_contrasts(level: float) -> None:
    """Arms that stand still: of the first rewards, before which nothing is known, all is level."""
    moving = arms_log(0, n=1500, share=1.0, is_click=False, period=math.inf)
    lifted = moving._replace(events=replace(moving.events, reward=moving.events.reward + level))
    found = gains_of(lifted)
    assert not found.contrasts.pays
    assert found.contrasts.value == pytest.approx(gains_of(moving).contrasts.value, rel=1e-3)


def test_without_propensities_only_forecasts_are_told() -> None:
    moving = arms_log(2)
    rows = [
        {"actions": ["a", "b", "c", "d"], "action": int(a), "reward": float(r)}
        for a, r in zip(moving.events.chosen, moving.events.reward, strict=True)
    ]
    found = dw.evaluation.forgetting(dw.Log(rows))
    assert math.isfinite(found.forecast.low)
    assert found.says.endswith("for decisions this log cannot tell.")
    assert "level" not in found.says, "without contrasts nobody knows what it is that drifts"
    assert repr(found) == str(found)
    page = found._repr_html_()
    assert page.startswith(f"<div><b>{found.says}</b>")
    assert f"<tr><td>forecasts</td><td>{found.forecast.value:.4g}</td>" in page
    assert "<tr><td>contrasts</td><td></td><td></td><td></td></tr>" in page, "not known"
    for gain in (found.contrasts, found.decisions):
        assert math.isnan(gain.low)
        assert "propensities" in gain.warnings[0]
        assert gain.as_dict()["value"] is None


def test_a_window_shorter_than_a_cycle_is_told() -> None:
    """A mean that follows the hour, and no feature for it: windows of some hours do best."""
    random = np.random.default_rng(0)
    hours = np.arange(4000) / 12.0
    rows = [
        {"time": 1.6e9 + 3600.0 * hour, "actions": ["a", "b"], "action": int(k),
         "propensities": [0.5, 0.5],
         "reward": float(np.sin(2.0 * np.pi * hour / 24.0) * (2 * k - 1) + 0.3 * random.normal())}
        for hour, k in zip(hours, random.integers(2, size=4000), strict=True)
    ]  # fmt: skip
    found = dw.evaluation.forgetting(dw.Log(rows))
    assert found.forecast.pays
    assert "a day" in found.warnings[0]
    assert "cycle" in found.warnings[0]
    bare = dw.Log([{key: row[key] for key in row if key != "time"} for row in rows])
    assert "natural cycle" in dw.evaluation.forgetting(bare).warnings[0]
    assert "the cycle that was given" in dw.evaluation.forgetting(bare, cycle=288).warnings[0]
    assert not dw.evaluation.forgetting(bare, cycle=5).warnings
    with pytest.raises(ValueError, match="cycle must be"):
        dw.evaluation.forgetting(bare, cycle=0)


def test_too_few_events_say_so() -> None:
    found = gains_of(arms_log(0, n=20))
    assert "so few events" in found.says
    assert not found.forecast.pays


@pytest.mark.slow
def test_in_a_world_that_stands_still_forgetting_seldom_pays() -> None:
    """Of 200 stationary logs at most one in twenty says so, for each of the three."""
    pays = np.zeros(3)
    for seed in range(200):
        found = gains_of(linear_log(seed, "stationary", n=1500))
        pays += [found.forecast.pays, found.contrasts.pays, found.decisions.pays]
    assert (pays <= 10).all(), pays


@pytest.mark.slow
def test_thin_exploration_does_not_make_forgetting_pay() -> None:
    """Ten arms that stand still, each shown with probability .005 but for one: weights reach 200."""
    pays = np.zeros(3)
    for seed in range(200):
        moving = arms_log(seed, n=3000, n_arms=10, share=0.05, period=math.inf)
        assert (moving.means == moving.means[0]).all()
        found = gains_of(moving)
        pays += [found.forecast.pays, found.contrasts.pays, found.decisions.pays]
    assert (pays <= 10).all(), pays


@pytest.mark.slow
@pytest.mark.parametrize("world", ["rotating", "switching", "walk"])
def test_in_worlds_that_move_it_is_found(world: str) -> None:
    pays = sum(gains_of(linear_log(seed, world)).contrasts.pays for seed in range(30))
    assert pays >= 27
