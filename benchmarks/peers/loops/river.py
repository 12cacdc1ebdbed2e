"""river: LinUCB with a model per arm, contexts as dictionaries."""

from collections.abc import Callable
from typing import Any

from river.bandit import LinUCBDisjoint

PACKAGE = "river"
REMARK = "LinUCB, one model per arm on a context that all arms share; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    policy = LinUCBDisjoint(seed=0)
    arms = list(range(n_arms))

    def play(actions: Any, rewards: Any) -> None:
        context = dict(enumerate(actions[0].tolist()))
        arm = policy.pull(arms, context=context)
        policy.update(arm, context, rewards[arm])

    return play
