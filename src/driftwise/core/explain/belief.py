"""What a policy believes of the unknown parameter: what it returns from ``belief_in(memory)``.

In Python only, like all that explains.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..base.arrays import Matrix, Vector

__all__ = ["Belief", "Judge", "faded_rounds", "ridge_belief"]

Judge: TypeAlias = Callable[[Matrix], list[dict[str, Any]]]  # from rows to scores: see `explained`


class Belief(NamedTuple):
    """What a policy believes of the unknown parameter at one moment."""

    effective_memory: float  # in rounds
    source: str  # where that number comes from, in words
    estimate: Vector  # (d,)
    # An action x is uncertain by radius * sqrt(x' spread x): (d, d), or the diagonal (d,) of such a matrix.
    spread: Matrix | Vector
    radius: float
    error_scale: float  # the standard error of x'estimate is error_scale * sqrt(x' spread x)
    is_drift_counted: bool = False  # whether these errors allow for drift, or for noise alone
    is_noticing: bool = False  # whether it takes note of changes: `details` has "last_change"
    is_random: bool = False  # whether it plays what is best for a parameter drawn at random
    is_logistic: bool = False  # whether the mean reward of x is 1 / (1 + exp(-x'estimate))
    stale: Matrix | None = None  # (d, d), U of `driftwise.core.models.kalman.probe`
    parameter_norm: float = 0.0  # what a direction that was never seen may hold
    judge: Judge | None = None  # where more than the parameter counts: what is believed of each row
    bonuses: Vector | None = None  # (K,), where each arm has a mean of its own: `arms_belief`
    staleness: Vector | None = None  # (K,), with these: how long each went unseen, from 0 to 1
    look: int = -1  # the arm that is due to be looked at, if there is one
    awaited: tuple[
        int, ...
    ] = ()  # arms of which nothing is known, and that are not tried again yet
    turn: int | None = None  # the arm that is played whatever the bounds say
    remarks: tuple[str, ...] = ()  # more sentences
    details: dict[str, Any] = {}  # noqa: RUF012  # of a named tuple, and never written to

    def standard_errors(self) -> Vector:
        """Return the standard errors of the estimate, coordinate by coordinate."""
        return np.asarray(self.error_scale * np.sqrt(np.maximum(self.diagonal(), 0.0)))

    def diagonal(self) -> Vector:
        """Return the diagonal of the spread."""
        return self.spread if self.spread.ndim == 1 else np.diag(self.spread)

    def width_of(self, action: Vector) -> float:
        """Return sqrt(x' spread x)."""
        if self.spread.ndim == 1:
            return math.sqrt(max(float((action * action) @ self.spread), 0.0))
        return math.sqrt(max(float(action @ self.spread @ action), 0.0))


def ridge_belief(
    regression: Any, effective_memory: float, source: str, radius: float, noise: float
) -> Belief:
    """Return the belief of a policy that has a ridge regression of some layout."""
    return Belief(
        float(effective_memory), source, regression.solution(), regression.error_shape(),
        float(radius), noise,
    )  # fmt: skip


def faded_rounds(discount: float, rounds: float) -> float:
    """Return the sum of the weights discount^age of a number of rounds: at most 1 / (1 - discount).

    Examples
    --------
    >>> faded_rounds(0.75, 10_000.0), faded_rounds(0.5, 2.0), faded_rounds(1.0, 70.0)
    (4.0, 1.5, 70.0)
    """
    if discount == 1.0:
        return float(rounds)
    return float((1.0 - discount**rounds) / (1.0 - discount))
