"""pymab: LinUCB with a model per arm, in compiled code."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pymab.policies import LinUCBPolicy

PACKAGE = "pymab"
REMARK = "LinUCB, one model per arm on the features of that arm; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    policy = LinUCBPolicy(n_arms=n_arms, n_features=dimension)
    rng = np.random.default_rng(0)

    def play(actions: Any, rewards: Any) -> None:
        arm = policy.select_action(context=actions, rng=rng)
        policy.update(action=arm, reward=rewards[arm], context=actions)

    return play
