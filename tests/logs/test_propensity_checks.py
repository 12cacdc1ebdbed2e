"""Wrong propensities are found, and right ones are left in peace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.logs.evidence import gathered
from driftwise.logs.propensity_checks import _mean_score, check_frequencies, check_weights
from tests.logs.events import Event, epsilon_greedy

N_LOGS = 30


def finding(log: dw.Log, check: Any) -> Any:
    (found,) = check(gathered(log.frames()))
    return found


@pytest.fixture(scope="module")
def right() -> list[dw.Log]:
    return [dw.Log(epsilon_greedy(seed)) for seed in range(N_LOGS)]


@pytest.fixture(scope="module")
def wrong() -> list[dw.Log]:
    """The frequent error: 1 - eps instead of 1 - eps + eps / K."""
    return [dw.Log(epsilon_greedy(seed, wrong=0.05)) for seed in range(N_LOGS)]


def test_right_propensities_are_not_accused(right: list[dw.Log]) -> None:
    for check in (check_frequencies, check_weights):
        assert [finding(log, check).severity for log in right] == ["fine"] * N_LOGS


def test_right_propensities_have_scores_of_size_one(right: list[dw.Log]) -> None:
    scores = [
        score
        for log in right
        for score in finding(log, check_frequencies).numbers["by_arm"].values()
    ]
    assert len(scores) == 4 * N_LOGS
    # The mean square of so many standard normal numbers has a standard deviation of about 0.15.
    assert np.mean(np.square(scores)) == pytest.approx(1.0, abs=0.5)


def test_the_frequent_error_is_found_by_arm(wrong: list[dw.Log]) -> None:
    """At three thousand events the arms alone show it in most logs; see EVALUATION 2."""
    largest = [
        max(map(abs, finding(log, check_frequencies).numbers["by_arm"].values())) for log in wrong
    ]
    assert np.median(largest) > 3.5


def test_the_frequent_error_is_found(wrong: list[dw.Log]) -> None:
    found = [finding(log, check_frequencies) for log in wrong]
    assert [each.severity for each in found] == ["error"] * N_LOGS
    assert "1 - eps + eps / K" in found[0].advice


def test_the_mean_weight_does_not_find_it(wrong: list[dw.Log]) -> None:
    scores = []
    for log in wrong:
        evidence = gathered(log.frames())
        scores.append(_mean_score(1.0 / (evidence.size * evidence.propensity)) or 0.0)
    assert abs(float(np.mean(scores))) < 1.5


def without_vectors(events: list[Event]) -> dw.Log:
    return dw.Log(
        [
            {name: value for name, value in event.items() if name != "propensities"}
            for event in events
        ]
    )


def test_it_is_found_from_the_chosen_actions_alone() -> None:
    """The favourite of the events before gives it away."""
    for seed in range(N_LOGS):
        assert finding(without_vectors(epsilon_greedy(seed)), check_weights).severity == "fine"
        bad = finding(without_vectors(epsilon_greedy(seed, wrong=0.05)), check_weights)
        assert bad.severity == "error"
        assert bad.numbers["z"]["favourite"] > bad.numbers["limit"]


@pytest.mark.parametrize(
    ("way", "severity"),
    [("right", "fine"), ("of the branch", "error"), ("in the branch", "warning")],
)
def test_the_two_wrong_ways_to_log_exploration_are_found(way: str, severity: str) -> None:
    """Both log what led to the action, not how probable the action was: EVALUATION 5.1."""
    random = np.random.default_rng(7)
    n, n_arms, share = 4000, 4, 0.2
    events = []
    for _ in range(n):
        inner = int(random.normal([0.5, 0.4, 0.2, 0.0], 0.3).argmax())  # Thompson sampling
        explores = random.random() < share
        action = int(random.integers(n_arms)) if explores else inner
        propensity = {
            "right": share / n_arms + (1.0 - share) * (action == inner),
            "of the branch": share / n_arms if explores else 1.0 - share,
            "in the branch": 1.0 / n_arms if explores else 1.0,
        }[way]
        events.append({"actions": list("abcd"), "action": action, "propensity": propensity})
    assert finding(dw.Log(events), check_weights).severity == severity


def test_fresh_sets_are_judged_by_propensity() -> None:
    """Rows without identity, shuffled: no arm is favoured, and only the size of p tells."""
    random = np.random.default_rng(3)
    events = []
    for event in epsilon_greedy(5, wrong=0.05):
        order = random.permutation(4)
        events.append(
            event
            | {
                "actions": [{"x": float(random.random())} for _ in order],
                "propensities": [event["propensities"][k] for k in order],
                "action": int(np.flatnonzero(order == event["action"])[0]),
            }
        )
    found = finding(dw.Log(events), check_frequencies)
    assert found.severity == "error"
    assert found.numbers["group"] == "Actions of propensity 0.7 to 0.8"


def test_vectors_that_do_not_fit_together() -> None:
    event = {"action": 0, "propensity": 0.5, "propensities": [0.5, 0.4]}
    sums = {each.name: each for each in dw.Log([event] * 3).soundness().findings}
    assert sums["propensities"].severity == "error"
    assert sums["propensities"].numbers["worst_sum"] == pytest.approx(0.9)
    event = {"action": 0, "propensity": 0.25, "propensities": [0.5, 0.5]}
    differs = {each.name: each for each in dw.Log([event] * 3).soundness().findings}
    assert differs["propensities"].numbers["disagreements"] == 3
    assert differs["propensities"].severity == "error"
