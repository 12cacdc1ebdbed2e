"""What cannot be started says so, before the compiler has anything to say."""

from typing import Any

import numpy as np
import pytest

import driftwise as dw

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
        wanted = "policy must be made by a call, LinUCB(...), got the class LinUCB"
        assert str(caught.value) == wanted


def simulated(policy: Any) -> None:
    dw.simulate(policy, dw.worlds.World(parameters=np.ones((3, 2)), decision_sets=np.eye(2)))
