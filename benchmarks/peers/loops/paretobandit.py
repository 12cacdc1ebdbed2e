"""paretobandit: LinUCB with a model per arm and geometric forgetting."""

from collections.abc import Callable
from typing import Any

from pareto_bandit import DisjointLinUCBPolicy

PACKAGE = "paretobandit"
REMARK = "LinUCB, one model per arm on a context that all arms share; discounts"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    names = [str(arm) for arm in range(n_arms)]
    policy = DisjointLinUCBPolicy(names, dimension, forgetting_factor=0.99, seed=0)

    def play(actions: Any, rewards: Any) -> None:
        name = policy.select_arm(actions[0])[0]
        policy.update(name, actions[0], rewards[int(name)])

    return play
