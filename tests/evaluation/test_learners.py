"""advice, share and replay: what they target, whether intervals hold, and what is said to bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import Moving, arms_log, as_log, linear_log
from driftwise.core.engine.starting import started
from driftwise.core.randomness import draws
from driftwise.evaluation.scoring import evaluated
from driftwise.evaluation.walking import ADVICE, SHARE, walk

MINE = dw.SlidingWindowUCB(window=100, noise=0.5)
BOTH = {"mine": MINE, "other": dw.LinUCB(noise=0.5)}


def test_names_that_others_rely_on() -> None:
    log = as_log(arms_log(0))
    for evaluate in (dw.evaluation.advice, dw.evaluation.share):
        result = evaluate(log, BOTH)
        assert list(result) == ["mine", "other"]
        mine = result["mine"]
        assert mine.low < mine.value < mine.high
        assert "mine" in mine.estimand
        assert isinstance(mine.warnings, tuple)
        assert mine.over_time is not None
        gap = result.compare("mine", "other")
        assert gap.value == pytest.approx(mine.value - result["other"].value)
        turned = result.compare("other", "mine")
        assert (turned.low, turned.high) == (-gap.high, -gap.low)
        against = result.compare("mine", "log")
        assert against.value == pytest.approx(mine.value - result.log.value)
        plain = result.as_dict()
        assert plain["policies"]["mine"]["value"] == mine.value
        assert {"low", "high", "estimand", "warnings"} <= plain["policies"]["mine"].keys()
        assert gap.says in result.as_text()


def test_an_evaluation_shows_itself() -> None:
    result = dw.evaluation.replay(as_log(arms_log(0)), BOTH)
    shown = repr(result)
    assert shown.startswith("Evaluation as replay\n")
    assert [line.split()[0] for line in shown.splitlines()[-3:]] == ["mine", "other", "log"]
    assert f"mine: {result['mine'].warnings[0]}" in shown
    page = result._repr_html_()
    assert page.count("<tr><td>") == 3
    assert f"<td>{result['mine'].value:.4g}</td><td></td>" in page, "no interval would be right"


def test_values_are_drawn_over_time_where_there_are_any() -> None:
    log = as_log(arms_log(0))
    axes = dw.evaluation.advice(log, BOTH).plot()
    drawn = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    assert list(drawn) == ["mine", "other", "log"]
    assert np.isfinite(drawn["mine"]).any()
    assert dw.evaluation.advice(log, {"mine": MINE}).plot(axes) is axes


def test_a_pair_is_compared_event_by_event() -> None:
    result = dw.evaluation.advice(as_log(arms_log(1, share=1.0)), BOTH)
    first, second = (result[name].outcomes for name in BOTH)
    assert first is not None
    assert second is not None
    gap = result.compare("mine", "other")
    half = 1.9599639845 * (first - second).std(ddof=1) / math.sqrt(len(first))
    assert gap.high - gap.value == pytest.approx(half)


def test_who_works_changes_nothing() -> None:
    log = as_log(arms_log(2))
    alone = dw.evaluation.share(log, BOTH, jobs=1, seed=3)
    together = dw.evaluation.share(log, BOTH, jobs=2, backend="threading", seed=3)
    assert alone.as_dict() == together.as_dict()
    assert alone.as_dict() != dw.evaluation.share(log, BOTH, seed=4).as_dict()


def test_replay_has_no_interval_and_says_how_far_off_it_is() -> None:
    """One turn in 1,500 events, a window of 200: replayed, it spans five times as many events."""
    log = as_log(linear_log(0, "rotating"))
    policies = {"mine": dw.SlidingWindowUCB(window=200, noise=0.5)}
    found = dw.evaluation.replay(log, policies)
    mine = found["mine"]
    fair = dw.evaluation.share(log, policies)["mine"]
    assert math.isnan(mine.low)
    assert math.isnan(found.compare("mine", "log").low)
    assert "stands still" in mine.warnings[0]
    assert mine.details["apart_from_share"] == pytest.approx(mine.value - fair.value)
    assert mine.events == pytest.approx(4000 / 5, rel=0.2)


def test_events_that_are_there_twice_are_told_first() -> None:
    """Intervals take them for news, and would be too short by the root of two."""
    events = list(as_log(arms_log(0), event_id=[str(t) for t in range(1000)]))
    log = dw.Log(event for event in events for _ in range(2))
    found = dw.evaluation.advice(log, BOTH)
    assert found.as_text().startswith("warning: 1,000 events have an event_id that another event")
    for warnings in (
        found["mine"].warnings,
        dw.evaluation.value(log, "log").warnings,
        dw.evaluation.forgetting(log).warnings,
    ):
        assert any("intervals too short" in said for said in warnings)


def test_replay_that_accepts_nothing_knows_nothing() -> None:
    log = dw.Log([{"actions": ["a", "b"], "action": 0, "propensities": [0.5, 0.5], "reward": 1.0}])
    found = dw.evaluation.replay(log, {"mine": dw.UCB1()})["mine"]
    assert found.warnings[0].startswith("Too few events to say anything: 0")
    assert "nan" not in found.as_text()
    assert "inf" not in found.as_text()


def test_what_is_said_of_the_log_is_said_of_each_policy() -> None:
    log = dw.Log(
        {"actions": ["a", "b"], "action": t % 2, "propensities": [0.5, 0.5]}
        | ({} if t % 5 else {"reward": 1.0})
        for t in range(500)
    )
    found = dw.evaluation.advice(log, BOTH)
    assert "have no reward" in found.warnings[0]
    assert all(found.warnings[0] in each.warnings for each in found.values())
    assert found.as_text().count("have no reward") == 1


def test_without_propensities_advice_gives_no_interval_and_share_nothing() -> None:
    moving = arms_log(3)
    log = dw.Log(
        {"actions": ["a", "b", "c", "d"], "action": int(a), "reward": float(r)}
        for a, r in zip(moving.events.chosen, moving.events.reward, strict=True)
    )
    found = dw.evaluation.advice(log, BOTH)["mine"]
    assert math.isnan(found.low)
    assert "no propensity" in found.warnings[0]
    with pytest.raises(ValueError, match="log must have propensities in all events for a share"):
        dw.evaluation.share(log, BOTH)


def test_a_log_that_leaves_nothing_to_chance_has_no_overlap() -> None:
    events = arms_log(4).events
    sure = np.eye(4)[events.chosen]
    moving = Moving(replace(events, propensity=np.ones(1000), propensities=sure), np.empty(0))
    for evaluate in (dw.evaluation.advice, dw.evaluation.share):
        found = evaluate(as_log(moving), BOTH)["mine"]
        assert math.isnan(found.low)
        assert "No overlap" in found.warnings[0]


def test_a_share_is_at_most_the_least_propensity() -> None:
    log = as_log(arms_log(5, share=0.4))
    assert dw.evaluation.share(log, BOTH)["mine"].details["rate"] == pytest.approx(0.1)
    with pytest.raises(ValueError, match=r"rate must be at most 0\.1, the least propensity"):
        dw.evaluation.share(log, BOTH, rate=0.2)
    thin = dw.evaluation.share(log, BOTH, rate=0.01)
    assert any("next to nothing" in said for said in thin["mine"].warnings)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ({}, {}, "policies must be policies by name"),
    ([MINE], {}, "policies must be policies by name"),
    ({"log": MINE}, {}, "policies must not be called 'log'"),
    ({"mine": dw.LinUCB}, {}, "policies must be policies, 'mine' too"),
    ({"mine": MINE}, {"bounds": (0.0, 0.5)}, "reward must lie in the declared bounds"),
    ({"mine": MINE}, {"windows": 3}, "options must be some of .*, got windows"),
    ({"mine": MINE}, {"seed": -1}, "seed must be at least 0"),
    ({"mine": MINE}, {"wait": 5.0}, "wait must be left out, since the log has no times"),
]


@pytest.mark.parametrize(("policies", "options", "says"), BAD)
def test_bad_input_is_told_in_a_sentence(policies: Any, options: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        dw.evaluation.advice(as_log(arms_log(0)), policies, **options)


def test_a_difference_that_rests_on_few_events_is_not_claimed() -> None:
    """Eighty actions, each alike, and seldom a click: the choices of a policy meet next to none."""
    random = np.random.default_rng(1)
    names = [str(k) for k in range(80)]
    log = dw.Log(
        {"actions": names, "action": int(k), "propensities": [1 / 80] * 80,
         "reward": float(random.random() < 0.004)}
        for k in random.integers(80, size=6000)
    )  # fmt: skip
    gap = dw.evaluation.advice(log, {"mine": dw.UCB1()}).compare("mine", "log")
    assert gap.is_thin
    for claim in (replace(gap, low=-0.3, high=-0.1), replace(gap, low=0.1, high=0.3)):
        assert "cannot be told" in claim.says
        assert "cannot be told" not in replace(claim, is_thin=False).says


def test_too_few_events_are_told_first() -> None:
    found = dw.evaluation.advice(as_log(arms_log(0, n=20)), BOTH)["mine"]
    assert "Too few events" in found.warnings[0]
    assert math.isnan(found.low)


def covered(kind: int, world: str, logs: range, rate: float = 0.2) -> tuple[float, float]:
    """Return how often the interval holds its own target, and the mean error in standard errors.

    The target of a walk is the mean of f_t(pi_t): what is random given it is the pseudo-outcome alone.
    """
    hits, errors = 0, []
    for seed in logs:
        moving = linear_log(seed, world, n=1500)
        walked = walk(MINE, moving.events, kind, rate, seed=seed)
        truth = float((walked.probabilities * moving.means).sum(axis=1).mean())
        found = evaluated("", moving.prepared(), walked.probabilities, "")
        hits += bool(found.low <= truth <= found.high)
        errors.append(found.value - truth)
    return hits / len(logs), float(np.mean(errors) / np.std(errors) * math.sqrt(len(logs)))


@pytest.mark.slow
@pytest.mark.parametrize("world", ["rotating", "switching", "walk", "stationary"])
@pytest.mark.parametrize("kind", [ADVICE, SHARE])
def test_intervals_hold_their_own_target_in_19_of_20_logs(kind: int, world: str) -> None:
    """600 logs: 95 % within three binomial standard errors, and no bias within 3.5 of its own."""
    share, bias = covered(kind, world, range(600))
    assert abs(share - 0.95) <= 3.0 * math.sqrt(0.95 * 0.05 / 600)
    assert abs(bias) <= 3.5


@pytest.mark.slow
def test_share_is_the_learner_on_a_share_of_the_traffic() -> None:
    """The theorem: the same learner run online on a fifth of 40 worlds, by a coin, is worth as much."""
    gaps = []
    for seed in range(40):
        moving = linear_log(seed, "rotating", n=1500)
        walked = walk(MINE, moving.events, SHARE, 0.2, seed=seed)
        estimate = float((walked.probabilities * moving.means).sum(axis=1).mean())
        gaps.append(estimate - online(moving, 0.2, seed))
    assert abs(np.mean(gaps)) <= 3.5 * np.std(gaps) / math.sqrt(40)


def online(moving: Moving, rate: float, seed: int) -> float:
    """Return the mean value of the learner that is handed each event by a coin of its own."""
    random = np.random.default_rng(seed + 10_000)
    n = len(moving.events)
    is_own = random.random(n) < rate
    noise = 0.5 * random.standard_normal(n)
    memory = started(MINE, 5, 4, None)
    MINE.restart(memory, 1)
    total = 0.0
    for t in range(n):
        luck = draws.fork(seed, t)
        choice = MINE.choose(memory, moving.events.actions[t], luck)
        total += moving.means[t, choice.arm]
        if is_own[t]:
            reward = float(moving.means[t, choice.arm] + noise[t])
            MINE.learn(memory, moving.events.actions[t, choice.arm], choice, reward, luck)
        else:
            MINE.tick(memory)
    return total / n


@pytest.mark.parametrize(
    ("policy", "is_warned"),
    [
        (dw.UCB1(), False),  # never forgets
        (dw.Uniform(), False),
        (dw.Exploring(dw.UCB1(), share=0.1), False),
        (dw.GLRUCB(confidence=0.01, mixing=0.1), True),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_share_warns_of_what_forgets_by_a_clock_of_its_own(policy: Any, is_warned: bool) -> None:
    found = dw.evaluation.share(as_log(arms_log(0)), {"mine": policy})["mine"]
    assert any("no rule `tick`" in said for said in found.warnings) == is_warned
