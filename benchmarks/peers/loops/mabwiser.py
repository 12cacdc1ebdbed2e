"""mabwiser: LinUCB with a model per arm."""

from collections.abc import Callable
from typing import Any

from mabwiser.mab import MAB, LearningPolicy

PACKAGE = "mabwiser"
REMARK = "LinUCB, one model per arm on a context that all arms share; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    bandit = MAB(list(range(n_arms)), LearningPolicy.LinUCB(alpha=1.0), seed=0)

    def play(actions: Any, rewards: Any) -> None:
        context = actions[:1]
        arm = bandit.predict(context)
        bandit.partial_fit([arm], [rewards[arm]], context)

    bandit.fit([0], [0.0], [[0.0] * dimension])  # it predicts only after a first fit
    return play
