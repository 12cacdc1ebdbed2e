"""The scales of a world, read off the path that it takes: what a person could have measured."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["scales_of"]

_SIZE = 4096


def scales_of(world: Any, seed: int) -> dict[str, float]:
    """Return bounds and scales of actions and rewards, by the names that policies are tuned with.

    ``action_norm`` is the longest action, ``parameter_norm`` the largest expected reward over the
    length of its action, ``deviation`` the standard deviation of rewards around what is expected of
    them, ``low`` and ``high`` the least reward and the largest, ``reward_range`` twice the
    sub-Gaussian noise: by Hoeffding's lemma that is the range of rewards that have one. What is
    0 bounds nothing, and is left out.

    Examples
    --------
    >>> import driftwise as dw
    >>> clicks = dw.worlds.Stationary(horizon=1000, parameter=[0.2, 0.9], rewards="bernoulli")
    >>> {name: round(value, 1) for name, value in scales_of(clicks, seed=0).items()}
    {'action_norm': 1.0, 'parameter_norm': 0.9, 'deviation': 0.3, 'high': 1.0, 'reward_range': 1.0}
    """
    longest = steepest = squares = 0.0
    low, high, count = np.inf, -np.inf, 0
    for rounds in world.rounds(seed, _SIZE):
        if not hasattr(rounds, "actions"):  # any point of the unit ball
            return {}
        lengths = np.sqrt((rounds.actions * rounds.actions).sum(axis=2))
        lengths = np.broadcast_to(lengths, rounds.means.shape)
        is_real = np.arange(world.n_arms) < rounds.sizes[:, None]
        is_real = np.broadcast_to(is_real, rounds.means.shape)
        means, rewards = rounds.means[is_real], rounds.rewards[is_real]
        slopes = np.abs(means)[lengths[is_real] > 0.0] / lengths[is_real & (lengths > 0.0)]
        longest = max(longest, float(lengths[is_real].max()))
        steepest = max(steepest, float(slopes.max(initial=0.0)))
        squares += float(((rewards - means) ** 2).sum())
        low, high = min(low, float(rewards.min())), max(high, float(rewards.max()))
        count += len(means)
    found = {
        "action_norm": longest,
        "parameter_norm": steepest,
        "deviation": (squares / count) ** 0.5,
        "low": low,
        "high": high,
        "reward_range": 2.0 * world.noise,
    }
    return {name: value for name, value in found.items() if value != 0.0}
