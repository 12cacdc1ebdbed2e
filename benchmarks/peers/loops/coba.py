"""coba: LinUCB with one model on the features of the actions."""

from collections.abc import Callable
from typing import Any

from coba.learners import LinUCBLearner

PACKAGE = "coba"
REMARK = "LinUCB, one model on the features of the actions, as here; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    learner = LinUCBLearner(features=["a"])

    def play(actions: Any, rewards: Any) -> None:
        rows = [tuple(row) for row in actions.tolist()]
        action, chance = learner.predict(None, rows)[:2]
        learner.learn(None, action, rewards[rows.index(action)], chance)

    return play
