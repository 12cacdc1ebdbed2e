"""obp, the Open Bandit Pipeline: LinUCB with a model per arm."""

from collections.abc import Callable
from typing import Any

from obp.policy import LinUCB

PACKAGE = "obp"
REMARK = "LinUCB, one model per arm on a context that all arms share; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    policy = LinUCB(dim=dimension, n_actions=n_arms, epsilon=1.0, random_state=0)

    def play(actions: Any, rewards: Any) -> None:
        context = actions[:1]
        arm = policy.select_action(context)[0]
        policy.update_params(action=arm, reward=rewards[arm], context=context)

    return play
