"""What cannot be started says so, before the compiler has anything to say."""

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.checks import check_policy
from driftwise.core.base.card import Card, plays_ball
from driftwise.core.compiler.compiled import compilable

METHODS = ("start", "restart", "choose", "learn")


@pytest.mark.parametrize("missing", METHODS)
def test_a_policy_has_all_methods_that_the_engine_calls(missing: str) -> None:
    kind = type("Mine", (), {name: lambda *_: None for name in METHODS if name != missing})
    for play in (lambda policy: dw.Agent(policy, n_arms=2), simulated):
        with pytest.raises(TypeError, match=f"policy must have a method `{missing}`, got <"):
            play(kind())


def test_a_class_is_no_policy_yet() -> None:
    for play in (lambda policy: dw.Agent(policy, n_arms=2), simulated):
        with pytest.raises(TypeError) as caught:
            play(dw.LinUCB)
        wanted = "policy must be an instance, LinUCB(...), got the class LinUCB"
        assert str(caught.value) == wanted


@compilable
class Boastful(dw.Uniform):
    """Says that it plays the ball, and goes through rows."""

    __slots__ = ()
    card = Card(source="a test", plays_ball=True)


def test_who_plays_the_ball_says_so_and_does_so() -> None:
    with pytest.raises(ValueError, match="Uniform chooses among rows"):
        dw.Agent(dw.Uniform(), decision_set=dw.UnitBall(3))
    with pytest.raises(AssertionError, match="must write a point of the unit ball into its row"):
        check_policy(Boastful(), is_thorough=False)


def test_a_policy_over_others_plays_the_ball_if_they_do() -> None:
    bob = dw.BanditOverBandit.tuned(horizon=100, dimension=2, noise=0.1)
    assert plays_ball(bob)
    fading = dw.BanditOverBandit.tuned(
        horizon=100, dimension=2, noise=0.1, base=dw.DiscountedLinUCB(0.9, noise=0.1)
    )
    assert not plays_ball(fading)


def simulated(policy: Any) -> None:
    dw.simulate(policy, dw.worlds.World(parameters=np.ones((3, 2)), decision_sets=np.eye(2)))
