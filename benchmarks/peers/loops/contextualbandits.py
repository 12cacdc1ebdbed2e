"""contextualbandits: LinUCB with a model per arm, made for batches."""

from collections.abc import Callable
from typing import Any

import numpy as np
from contextualbandits.online import LinUCB

PACKAGE = "contextualbandits"
REMARK = "LinUCB, one model per arm on a context that all arms share; made for batches, rewards of 0 or 1"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    # Sherman and Morrison, which it recommends for small batches.
    policy = LinUCB(
        n_arms, method="sm", ucb_from_empty=True, beta_prior=None, random_state=1, njobs=1
    )

    def play(actions: Any, rewards: Any) -> None:
        context = actions[:1]
        arm = policy.predict(context)[0]
        policy.partial_fit(context, np.array([arm]), np.array([float(rewards[arm] > 0.0)]))

    # It predicts only after a first fit.
    rng = np.random.default_rng(0)
    policy.fit(
        rng.standard_normal((n_arms, dimension)), np.arange(n_arms), rng.integers(2, size=n_arms)
    )
    return play
