"""Values of fixed targets: coverage, courses over time, and what is said when nothing can be said."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import arms_log, as_log
from driftwise.evaluation.averages import Averages
from driftwise.evaluation.scoring import evaluated, one_hot


def test_a_value_is_the_mean_of_its_outcomes() -> None:
    moving = arms_log(0)
    events, model = moving.events, moving.prepared().model
    found = dw.evaluation.value(as_log(moving), "arm 1", window=200)
    phi = found.outcomes
    assert phi is not None
    assert found.value == pytest.approx(phi.mean())
    # An outcome has a variance of at least s^2 / p, whatever those that were seen have.
    square = ((events.reward - model[np.arange(1000), events.chosen]) ** 2).mean()
    least = square / events.propensities[:, 1]
    half = 1.9599639845 * math.sqrt(max(phi.var(ddof=1), least.mean()) / len(phi))
    assert (found.low, found.high) == pytest.approx((phi.mean() - half, phi.mean() + half))
    course = found.over_time
    assert course is not None
    last = phi[-200:]
    assert course.events[-1] == 1000
    assert course.value[-1] == pytest.approx(last.mean())
    assert last.var(ddof=1) < least[-200:].mean(), "the target met the log too seldom there"
    assert course.high[-1] - course.value[-1] == pytest.approx(
        1.9599639845 * math.sqrt(least[-200:].mean() / 200)
    )
    assert "1,000 scored events" in found.estimand
    assert found.as_dict()["value"] == found.value
    assert "'arm 1'" in found.as_text()


def test_the_model_sees_the_past_only() -> None:
    """A reward changes no outcome before it, and its own by its weight alone."""
    moving = arms_log(1)
    reward = moving.events.reward.copy()
    reward[700] += 50.0
    other = moving._replace(events=replace(moving.events, reward=reward))
    target = one_hot(np.ones(1000, np.int64), 4)
    before, after = (
        evaluated("", each.prepared(), target, "").outcomes for each in (moving, other)
    )
    assert before is not None
    assert after is not None
    weight = (moving.events.chosen[700] == 1) / moving.events.propensity[700]
    assert np.array_equal(before[:700], after[:700])
    assert after[700] - before[700] == pytest.approx(50.0 * weight)


def test_snips_is_a_ratio() -> None:
    moving = arms_log(2)
    found = dw.evaluation.value(as_log(moving), 2, estimator="snips")
    w = (moving.events.chosen == 2) / moving.events.propensity
    r = moving.events.reward
    mean = (w * r).sum() / w.sum()
    seen = (w * w * (r - mean) ** 2).sum() / w.sum() ** 2
    least = (r.var() / moving.events.propensities[:, 2]).mean() / len(r)
    se = math.sqrt(max(seen, least))
    assert found.value == pytest.approx(mean)
    assert found.high - found.value == pytest.approx(1.9599639845 * se)


@pytest.mark.parametrize("name", ["switch", "dros"])
def test_what_cuts_weights_has_no_interval_and_says_why(name: str) -> None:
    found = dw.evaluation.value(as_log(arms_log(3)), 0, estimator=name)
    assert math.isnan(found.low)
    assert found.sequence is None
    assert "lags" in found.warnings[0]
    assert found.as_dict()["low"] is None


def test_the_log_itself_is_a_plain_mean() -> None:
    log = as_log(arms_log(4))
    found = dw.evaluation.value(log, "log", bounds=(0, 1))
    assert found.value == pytest.approx(np.mean([event["reward"] for event in log]))
    assert found.sequence is not None
    assert found.sequence.low[-1] < found.value < found.sequence.high[-1]


def test_probabilities_are_a_target() -> None:
    log = as_log(arms_log(5))
    uniform = dw.evaluation.value(log, np.full((1000, 4), 0.25))
    arms = [dw.evaluation.value(log, k).value for k in range(4)]
    assert uniform.value == pytest.approx(np.mean(arms))


def test_bands_start_where_the_effective_sample_is_large() -> None:
    found = dw.evaluation.value(as_log(arms_log(6, n=3000)), 0)
    band = found.sequence
    assert band is not None
    assert "asymptotic" in band.kind
    assert math.isnan(band.low[0])
    bounded = dw.evaluation.value(as_log(arms_log(6, n=3000)), 0, bounds=(0, 1)).sequence
    assert bounded is not None
    assert bounded.low[0] == 0.0
    assert bounded.low[-1] > 0.2
    known = np.isfinite(band.low)
    if known.any():
        assert (bounded.low[known] <= band.low[known]).all(), "what is certain is wider"


def cover(estimator: str, n_logs: int, **options: Any) -> float:
    hits = 0
    for seed in range(n_logs):
        moving = arms_log(seed, **options)
        n = len(moving.events)
        lagging = moving.means[np.maximum(np.arange(n) - 60, 0)].argmax(axis=1)
        truth = moving.means[np.arange(n), lagging].mean()
        found = evaluated("", moving.prepared(), one_hot(lagging, 4), "", estimator=estimator)
        hits += bool(found.low <= truth <= found.high)
    return hits / n_logs


@pytest.mark.slow
def test_dr_covers_its_target_in_19_of_20_logs() -> None:
    """600 logs: 95 % within three binomial standard errors."""
    share = cover("dr", 600)
    assert abs(share - 0.95) <= 3.0 * math.sqrt(0.95 * 0.05 / 600)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (7, {}, "target must play what the log offered, one of 4 rows in event 0, got row 7"),
    ("arm x", {}, "target must be one of"),
    (np.full((3, 4), 0.25), {}, r"target must be of shape \(1000, 4\), got \(3, 4\)"),
    (np.full((1000, 4), 0.5), {}, "sum to 1"),
    (np.full((1000, 4), np.nan), {}, "sum to 1"),
    (["arm 1"] * 1000, {}, "target must be 'log', an arm, or probabilities"),
    (dw.UCB1(), {}, "policies are for `advice`"),
    (0, {"bounds": (0.0, 0.5)}, "reward must lie in the declared bounds, 0 to 0.5, got 1 in event"),
    (0, {"bounds": 1}, "bounds must be the least and the largest reward"),
    (0, {"estimator": "mrdr"}, "estimator must be one of"),
    (0, {"late": "zero"}, "late must be one of"),
    (0, {"wait": 3.0}, "wait must be left out, since the log has no times"),
]


@pytest.mark.parametrize(("target", "options", "sentence"), BAD)
def test_bad_input_is_told(target: Any, options: dict[str, Any], sentence: str) -> None:
    log = as_log(arms_log(7))
    with pytest.raises((ValueError, TypeError), match=sentence):
        dw.evaluation.value(log, target, **options)


def test_no_propensities_no_value() -> None:
    log = dw.Log([{"actions": ["a", "b"], "action": 0, "reward": 1.0}] * 100)
    with pytest.raises(ValueError, match="log must have propensities"):
        dw.evaluation.value(log, "b")
    assert dw.evaluation.value(log, "log").value == 1.0


def test_no_overlap_is_said_first() -> None:
    event = {"actions": ["a", "b"], "action": 0, "propensity": 1.0, "reward": 1.0}
    found = dw.evaluation.value(dw.Log([event] * 100), "b")
    assert found.warnings[0].startswith("No overlap: 100.0% of the choices")
    assert math.isnan(found.low)
    same = dw.evaluation.value(dw.Log([event] * 100), "a")
    assert (same.value, same.warnings) == (1.0, ())


def test_what_was_never_seen_has_no_overlap_where_others_are_not_told() -> None:
    """The log holds the propensity of what it chose, and never chose the last of three."""
    random = np.random.default_rng(0)
    log = dw.Log(
        {"actions": ["a", "b", "c"], "action": int(k), "propensity": 0.5,
         "reward": float(random.random() < 0.4)}
        for k in random.integers(2, size=500)
    )  # fmt: skip
    for target, lost in (("c", "100.0%"), ([0.25, 0.25, 0.5], "50.0%")):
        found = dw.evaluation.value(log, target)
        assert found.warnings[0].startswith(f"No overlap: {lost} of the choices")
        assert math.isnan(found.low)
    seen = dw.evaluation.value(log, "a")
    assert (seen.low < 0.4 < seen.high, seen.warnings) == (True, ())


def test_propensities_that_are_wrong_are_said_first() -> None:
    """A favourite that is played with probability .85 + .15 / 3 and said to be with .85."""
    random = np.random.default_rng(0)
    said = [0.85, 0.05, 0.05]
    for propensities, says in (([0.5, 0.4, 0.4], "add up to 1.3"), (said, "add up to 0.95")):
        log = dw.Log(
            {
                "actions": ["a", "b", "c"],
                "action": int(k),
                "propensities": propensities,
                "reward": 1.0,
            }
            for k in random.choice(3, p=[0.9, 0.05, 0.05], size=3000)
        )
        for found in (
            dw.evaluation.value(log, "b"),
            dw.evaluation.advice(log, {"m": dw.UCB1()})["m"],
        ):
            assert found.warnings[0].startswith("Propensities are wrong")
            assert says in found.warnings[0]
    log = dw.Log(
        {"actions": ["a", "b"], "action": int(k), "propensities": [0.6, 0.4], "reward": 1.0}
        for k in random.choice(2, p=[0.9, 0.1], size=3000)
    )
    assert "were chosen" in dw.evaluation.value(log, "b").warnings[0]


def test_an_interval_is_as_wide_as_propensities_promise() -> None:
    """The target met the log in 3 of 2,000 events, and each time with the same reward."""
    n, p = 2000, 0.002
    chosen = np.zeros(n, np.int64)
    chosen[[300, 900, 1500]] = 1
    reward = np.where(np.arange(n) % 2, 1.0, 0.0) * (chosen == 0)
    log = dw.Log(
        {"actions": ["a", "b"], "action": int(k), "propensities": [1 - p, p], "reward": float(r)}
        for k, r in zip(chosen, reward, strict=True)
    )
    for estimator, square in (("dr", 0.25), ("ips", 0.5), ("snips", 0.25)):
        found = dw.evaluation.value(log, "b", estimator=estimator)
        # Where what was seen would say next to nothing.
        assert found.high - found.low == pytest.approx(
            2.0 * 1.96 * math.sqrt(square / (p * n)), rel=0.02
        )
        course = found.over_time
        assert course is not None
        assert np.nanmin(course.high - course.low) > 1.9


def test_a_constant_mixture_is_a_target() -> None:
    log = as_log(arms_log(5))
    mixed = dw.evaluation.value(log, [0.5, 0.5, 0.0, 0.0])
    both = [dw.evaluation.value(log, k).value for k in range(2)]
    assert mixed.value == pytest.approx(np.mean(both))


def test_too_few_events_are_said_first() -> None:
    found = dw.evaluation.value(as_log(arms_log(8, n=12)), 0)
    assert found.warnings[0].startswith("Too few events to say anything: 12")
    assert math.isnan(found.low)


def test_wrong_propensities_are_suspected() -> None:
    moving = arms_log(9, n=3000)
    events = moving.events
    halved = replace(events, propensity=events.propensity / 2)
    prepared = moving._replace(events=halved).prepared()
    found = evaluated("", prepared, one_hot(np.zeros(3000, np.int64), 4), "")
    assert any("Weights average" in warning for warning in found.warnings)


def test_where_nothing_happens_no_rounding_is_shown() -> None:
    """A gain that is over: differences of long sums leave some 1e-15, and a spread of 1e-9."""
    random = np.random.default_rng(0)
    phi = np.concatenate([0.01 * random.standard_normal(10_000), np.zeros(10_000)])
    means = Averages(phi, np.ones(20_000), np.zeros(20_000), is_ratio=False, level=0.95)
    assert [float(each[0]) for each in means.at(np.array([20_000]), 500)] == [0.0, 0.0, 0.0]
    value, low, high = (float(each[0]) for each in means.at(np.array([500]), 500))
    assert value == pytest.approx(phi[:500].mean())
    assert high - low == pytest.approx(
        2 * 1.9599639845 * phi[:500].std(ddof=1) / math.sqrt(500), rel=2e-3
    )
