"""Why an action would be played: the reason is the true one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.explain.winner import winner_of
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS


def action(arm: int, mean: float, bonus: float, **others: Any) -> dict[str, Any]:
    return {"arm": arm, "mean": mean, "bonus": bonus, "upper_bound": mean + bonus, **others}


def told_of(*actions: dict[str, Any]) -> dict[str, Any]:
    return winner_of(list(actions), turn=None, is_random=False)


@pytest.mark.parametrize(
    "policy",
    [
        dw.LinUCB(noise=0.1),
        dw.SlidingWindowUCB(20, noise=0.1),
        dw.DiscountedLinUCB(0.9, noise=0.1),
        dw.AdaptiveUCB(1.0),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_before_the_first_reward_no_mean_is_the_largest(policy: Any) -> None:
    agent = dw.Agent(policy, dimension=2, is_interpreted=True)
    told = agent.explain([[0.1, 0.0], [0.0, 0.9]])
    assert [each["mean"] for each in told["actions"]] == [0.0, 0.0]
    assert told["winner"]["arm"] == 1
    assert told["winner"]["reason"] == "still uncertain"
    less, more = (f"{each['bonus']:.3g}" for each in told["actions"])
    assert told["winner"]["explanation"] == (
        "Action 1 would be played, with the same mean, 0, as action 0: "
        f"it is uncertain by {more}, action 0 by {less}."
    )


def test_of_equal_means_the_bonus_decides() -> None:
    told = told_of(action(0, 0.5, 0.1), action(1, 0.5, 0.3), action(2, 0.5, 0.2))
    assert (told["arm"], told["reason"]) == (1, "still uncertain")
    assert told["explanation"] == (
        "Action 1 would be played, with the same mean, 0.5, as 2 others: "
        "it is uncertain by 0.3, the others by 0.2 at most."
    )
    probe = told_of(action(0, 0.5, 0.1, is_probe=False), action(1, 0.5, 0.3, is_probe=True))
    assert (probe["arm"], probe["reason"]) == (1, "probe: not seen for long")
    assert "with the same mean, 0.5, as action 0: it has not been seen" in probe["explanation"]


def test_a_mean_that_is_larger_than_all_others() -> None:
    told = told_of(action(0, 0.4, 0.1), action(1, 0.5, 0.1), action(2, 0.4, 0.15))
    assert (told["arm"], told["reason"]) == (1, "largest mean")
    told = told_of(action(0, 0.4, 0.4), action(1, 0.5, 0.1), action(2, 0.5, 0.2))
    assert (told["arm"], told["reason"]) == (0, "still uncertain")
    assert (
        "although its mean is 0.1 below the best: it is uncertain by 0.4, action 2 by 0.2."
        in (told["explanation"])
    )


def test_equal_bounds() -> None:
    told = told_of(action(0, 0.5, 0.25), action(1, 0.25, 0.5), action(2, 0.5, 0.0))
    assert told["reason"] == "one of several equals"
    assert told["explanation"] == "Actions 0, 1 have the same upper bound: luck decides."


def test_an_arm_that_fell_out_of_the_window_is_not_called_never_played() -> None:
    agent = dw.Agent(dw.SlidingWindowArmsUCB(5, 0.2), n_arms=2, is_interpreted=True)
    plays = []
    for _ in range(6):
        decision = agent.choose()
        plays.append(decision.arm)
        agent.learn(decision, (0.9, 0.1)[decision.arm])
    told = agent.explain()
    assert 1 in plays
    assert told["actions"][1]["mean"] is None, "it was played, and that counts no more"
    assert told["winner"] == {
        "arm": 1,
        "reason": "nothing known",
        "explanation": "Action 1 would be played: no reward that still counts is about it.",
    }
    assert agent.choose().arm == 1


@pytest.mark.parametrize(
    "policy",
    [
        dw.LinTS(noise=0.1),
        dw.DiscountedLinTS(discount=0.9, noise=0.1),
        dw.DiscountedRandLinUCB(discount=0.9, noise=0.1),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_random_choices_are_called_random(policy: Any) -> None:
    random = np.random.default_rng(3)
    agent = dw.Agent(policy, dimension=3, is_interpreted=True)
    fresh = agent.explain(np.eye(3))["winner"]
    assert fresh["explanation"] == (
        "Its choice is partly random; actions 0, 1, 2 have the largest mean, 0."
    )
    for _ in range(20):
        decision = agent.choose(random.uniform(-0.8, 0.8, (4, 3)))
        agent.learn(decision, float(decision.action @ [0.5, -0.3, 0.8]))
    told = agent.explain(random.uniform(-0.8, 0.8, (4, 3)))
    means = [each["mean"] for each in told["actions"]]
    assert told["winner"]["reason"] == "drawn at random"
    assert told["winner"]["arm"] == int(np.argmax(means))
    assert f"action {told['winner']['arm']} has the largest mean" in told["winner"]["explanation"]
