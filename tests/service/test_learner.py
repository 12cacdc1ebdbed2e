"""What is played is as probable as is said, whatever the policy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.service.events import Decided, event_of
from driftwise.service.learner import Learner
from driftwise.service.played import Offer
from tests.service.desk import Desk, problem


@pytest.mark.parametrize(
    "policy",
    [dw.AdaptiveUCB(), dw.LinTS(noise=0.3), dw.UCB1(), dw.Exp3(mixing=0.1)],
    ids=lambda policy: type(policy).__name__,
)
@pytest.mark.parametrize("off", [[], ["red"]], ids=["all on", "one off"])
def test_weights_of_every_arm_are_right_on_average(policy: Any, off: list[Any]) -> None:
    """The mean of 1{a = j} / p is 1 for each arm j that is on: the test of an honest propensity."""
    desk = Desk(problem(policy=policy, share=0.5))
    for arm in (0, 1, 2, 2, 1):  # so that the policy has a favourite
        reply = desk.decide(off=[other for other in range(3) if other != arm])
        desk.reward(reply.id, arm / 2)
    weights = dict.fromkeys(range(3), 0.0)
    rounds = 3000
    for _ in range(rounds):
        reply = desk.decide(off=off)
        assert reply.propensity is not None
        weights[reply.arm] += 1 / reply.propensity
    for arm in range(3):
        is_on = not (off and arm == 0)
        assert weights[arm] / rounds == pytest.approx(float(is_on), abs=0.15)


def test_without_exploration_the_propensity_is_the_policys_own() -> None:
    desk = Desk(problem(share=0.0))
    assert desk.decide().propensity == pytest.approx(1 / 3), "a tie of three"
    sampling = Desk(problem(share=0.0, policy=dw.LinTS(noise=0.3)))
    assert sampling.decide().propensity is None, "not known"


def test_explored_rounds_are_as_many_as_the_share_says() -> None:
    desk = Desk(problem(share=0.2))
    branches = Counter(desk.decide().branch for _ in range(2000))
    assert branches["explore"] / 2000 == pytest.approx(0.2, abs=0.03)


def test_the_luck_of_exploration_is_not_that_of_the_policy() -> None:
    """What explores must not tell what is played: the arms of explored rounds are all alike."""
    desk = Desk(problem(policy=dw.Uniform(), share=0.5))
    arms = Counter((r.branch, r.arm) for r in (desk.decide() for _ in range(3000)))
    for branch in ("policy", "explore"):
        shares = [arms[branch, arm] / 1500 for arm in range(3)]
        assert shares == pytest.approx([1 / 3] * 3, abs=0.05)


def test_a_decision_is_rebuilt_from_its_event_to_the_bit() -> None:
    desk = Desk(problem(policy=dw.BanditOverBandit.tuned(horizon=50, dimension=3, noise=0.1)))
    learner = Learner(desk.problem)
    for seq in range(1, 20):
        played = learner.decide(Offer(None, 3), seq)
        desk.decide()
        body = event_of(list(desk.store.read())[-1]).body
        assert isinstance(body, Decided)
        rebuilt = desk.state.learner.decision_of(body)
        assert type(rebuilt.choice) is type(played.made.choice)
        assert np.array_equal(rebuilt.action, np.eye(3)[body.arm])
        assert rebuilt.choice.propensity == body.propensity
