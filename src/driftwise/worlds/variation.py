"""How much a world moved, measured on the path that it took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .means import expected_rewards

__all__ = ["Variation", "variation_of"]


class Variation(NamedTuple):
    r"""The realised variation of one path, in the two ways in which budgets are stated."""

    l2: float  # sum of |theta_{t+1} - theta_t|, the B_T of linear bandits
    arms: float | None  # sum of max_k |mu_{t+1,k} - mu_{t,k}|; None if decision sets change


def variation_of(
    blocks: Iterable[NDArray[np.float64]], decision_set: NDArray[np.float64] | None
) -> Variation:
    r"""Add up the steps of a path that comes in consecutive (n, d) blocks.

    .. math:: \sum_{t<T} \|\theta_{t+1} - \theta_t\|_2, \qquad
              \sum_{t<T} \max_k |\langle x_k, \theta_{t+1} - \theta_t \rangle|

    Examples
    --------
    >>> variation_of([np.array([[0.0, 0.0], [3.0, 4.0]])], np.eye(2))
    Variation(l2=5.0, arms=4.0)
    """
    l2 = arms = 0.0
    last = None
    for block in blocks:
        # A new block begins with the step from the last row of the one before.
        rows = block if last is None else np.concatenate([last, block])
        last = block[-1:].copy()
        steps = np.diff(rows, axis=0)
        steps = steps[steps.any(axis=1)]  # worlds that jump stand still most of the time
        l2 += float(np.sqrt((steps * steps).sum(axis=1)).sum())
        if decision_set is not None and len(steps):
            arms += float(np.abs(expected_rewards(decision_set[None], steps)).max(axis=1).sum())
    return Variation(l2, arms if decision_set is not None else None)
