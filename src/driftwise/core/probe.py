"""How long each direction has gone unseen: what forces a look at it now and then.

An action that is never played can improve in silence. U is symmetric and positive semidefinite,
with a diagonal of at most 1; it grows by r I in every round, and an action x that was played takes
U x x'U / (x'U x + ratio) away. x'U x / x'x is 0 if that direction was seen just now, and 1 if it has
not been seen for very long.
"""

from __future__ import annotations

import math

from .compiled import inlined
from .protocols import Matrix, Vector

__all__ = ["age", "refresh", "staleness_rate"]


@inlined
def staleness_rate(
    rounds: float, moved: float, probing: float, probing_decay: float, probing_calm: float
) -> float:
    """Return r = probing (t + 1)^-decay sqrt(1 + G / calm) for the t-th round.

    Probes become rare in a calm world, and come back when the world has moved (G).
    """
    # Neither `**` nor math.pow: a logarithm and an exponential give the same bits at both speeds.
    rarely = math.exp(-probing_decay * math.log(rounds + 1.0))
    return probing * rarely * math.sqrt(1.0 + moved / probing_calm)


@inlined
def age(stale: Matrix, rate: float) -> None:
    """Let all directions grow staler."""
    for i in range(stale.shape[0]):
        # No entry falls, so what was positive semidefinite stays so.
        stale[i, i] = min(stale[i, i] + rate, 1.0)


@inlined
def refresh(stale: Matrix, action: Vector, ratio: float, along: Vector) -> None:
    """Take note that ``action`` was played; ``ratio`` is the noise over the parameter, squared."""
    d = action.size
    for i in range(d):
        along[i] = 0.0
    for k in range(d):
        x = action[k]
        for i in range(d):
            along[i] += x * stale[k, i]
    square = ratio
    for i in range(d):
        square += action[i] * along[i]
    # Rounding may leave a square of zero just below it.
    scale = 1.0 / math.sqrt(max(square, ratio))
    for i in range(d):
        along[i] *= scale
    for i in range(d):
        for k in range(d):
            stale[i, k] -= along[i] * along[k]
