"""bayesianbandits: Thompson sampling with a Bayesian regression per arm."""

from collections.abc import Callable
from typing import Any

import numpy as np
from bayesianbandits import Arm, ContextualAgent, NormalRegressor, ThompsonSampling

PACKAGE = "bayesianbandits"
REMARK = "Thompson sampling, one model per arm on a context that all arms share; never forgets"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    arms = [Arm(arm, learner=NormalRegressor(alpha=1.0, beta=1.0)) for arm in range(n_arms)]
    agent = ContextualAgent(arms, ThompsonSampling(), random_seed=0)

    def play(actions: Any, rewards: Any) -> None:
        context = actions[:1]
        (arm,) = agent.pull(context)
        agent.update(context, np.array([rewards[arm]]))

    return play
