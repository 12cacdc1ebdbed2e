"""A pool of regressions, each with its verdicts: on which of the last rewards it has failed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import log
from ...compiler.layers import layer, stacked
from ...contract.coordinates import extend_layers, forget_layers
from ...linalg.factors import WHITENED
from ...linalg.kernels import whiten
from ..flight import Flight, add_square, flight
from .regression import begin

__all__ = [
    "ACTING",
    "BIRTH",
    "BORN",
    "RADIUS",
    "TAKEN",
    "PoolMemory",
    "badness_of",
    "begin_pool",
    "fails",
    "forget_model",
    "record",
]

RADIUS, TAKEN = range(2)  # columns of `PoolMemory.spreads`
JUDGED, FAILED, SLOT, BIRTH = range(4)  # columns of `PoolMemory.tallies`
ACTING, BORN = range(2)  # of `PoolMemory.pool`


@compilable
class PoolMemory(NamedTuple):
    """Room for a number of models, and how each has predicted."""

    regressions: Any  # Dense, one layer per model
    spreads: Matrix  # (models, 2): confidence radius, observations taken in
    failures: NDArray[np.int64]  # (models, verdicts), a ring: 1 where the model failed
    tallies: NDArray[np.int64]  # (models, 4): verdicts in the ring, failures, next slot, birth or 0
    pool: NDArray[np.int64]  # the model that acts, births so far
    dimension: Vector  # (1,)
    margin: Vector  # (1,), for the noise
    pending: Flight  # decisions in flight

    def weigh(self, gram: Matrix, action: Vector, arm: int, weight: float) -> float:
        """Add x x' of an action to a sum of such, or subtract it; see `Flight`."""
        return add_square(gram, action, weight)

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates of every model back to the prior; in Python only."""
        begun = layer(unlearnt.regressions, int(unlearnt.pool[ACTING]))
        forget_layers(self.regressions, begun, self._alive(), columns)
        self.pending._forget(unlearnt.pending, columns)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what every model has learnt of fewer coordinates; in Python only."""
        stacks = self.regressions, former.regressions, unlearnt.regressions
        extend_layers(*stacks, former._alive(), int(unlearnt.pool[ACTING]), columns, factor)
        for field in ("spreads", "failures", "tallies", "pool", "margin"):
            getattr(self, field)[...] = getattr(former, field)

    def _alive(self) -> list[int]:
        """Return which models there are; in Python only."""
        return np.flatnonzero(self.tallies[:, BIRTH]).tolist()

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        n_models, verdicts = self.failures.shape[-2:]
        return [
            (self.spreads[..., TAKEN], 0, MOST),
            (self.failures, 0, 1),
            (self.tallies[..., [JUDGED, FAILED]], 0, verdicts),
            (self.tallies[..., SLOT], 0, verdicts - 1),
            (self.tallies[..., BIRTH], 0, MOST),
            (self.pool[..., ACTING], 0, n_models - 1),
            (self.pool[..., BORN], 0, MOST),
            (self.dimension, 1, MOST),
        ]


def begin_pool(
    n_arms: int, dimension: int, n_models: int, verdicts: int, margin: float
) -> PoolMemory:
    """Return a pool with room for ``n_models`` models, and ``verdicts`` verdicts of each."""
    return PoolMemory(
        stacked(begin(n_arms, int(dimension), None), n_models),
        np.zeros((n_models, 2)),
        np.zeros((n_models, verdicts), np.int64),
        np.zeros((n_models, 4), np.int64),
        np.zeros(2, np.int64),
        np.full(1, float(dimension)),
        np.full(1, margin),
        flight(int(dimension), (int(dimension), int(dimension))),
    )


@inlined
def forget_model(memory: Any, model: int, ridge: float) -> None:
    """Let a model know nothing."""
    layer(memory.regressions, model).clear(ridge)
    memory.spreads[model, TAKEN] = 0.0
    for i in range(memory.failures.shape[1]):
        memory.failures[model, i] = 0
    for i in range(BIRTH):
        memory.tallies[model, i] = 0


@inlined
def fails(memory: Any, model: int, action: Vector, reward: float) -> bool:
    """Return whether a reward lies outside a model's bounds, and those of the noise."""
    regression = layer(memory.regressions, model)
    error = reward
    for i in range(action.size):
        error -= regression.estimate[i] * action[i]
    square = whiten(regression.root, regression.pivots, action, regression.scratch[WHITENED])
    bound = memory.spreads[model, RADIUS] * math.sqrt(square) + memory.margin[0]
    return not abs(error) <= bound  # nan, too


@inlined
def record(memory: Any, model: int, has_failed: int) -> None:
    """Keep a verdict, in place of the oldest one if the ring is full."""
    slot, verdicts = memory.tallies[model, SLOT], memory.failures.shape[1]
    memory.tallies[model, FAILED] += has_failed - memory.failures[model, slot]
    memory.failures[model, slot] = has_failed
    memory.tallies[model, SLOT] = slot + 1 if slot + 1 < verdicts else 0
    memory.tallies[model, JUDGED] = min(memory.tallies[model, JUDGED] + 1, verdicts)


@inlined
def badness_of(memory: Any, model: int, doubt: float) -> tuple[float, float]:
    """Return the share of failures, and how well it is known."""
    n = memory.tallies[model, JUDGED]
    if n == 0:
        return 0.0, 0.5
    return memory.tallies[model, FAILED] / n, math.sqrt(-log(doubt) / (2.0 * n))
