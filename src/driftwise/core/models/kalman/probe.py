"""How long each direction has gone unseen: what forces a look at it now and then.

An action that is never played can improve in silence. U is symmetric and positive semidefinite. It
grows by r I in every round, and an action x that was played takes U x x'U / (x'U x + ratio) away:
the recursion of a Kalman filter's covariance. u = x'U x / x'x is 0 if that direction was seen just
now, and grows without bound while it is not. Beside what was last known of x, which counts 1, the
best that could be true of x counts ln(1 + u): so an action is looked at sooner the less it is behind,
and one that is behind by several times what the best has left to gain is hardly looked at again.
"""

from __future__ import annotations

import math

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import inlined
from ...compiler.elementary import exp, log

__all__ = ["age", "due", "promise", "refresh", "staleness_of", "staleness_rate"]


@inlined
def staleness_rate(rounds: float, probing: float, probing_decay: float) -> float:
    """Return r = probing (t + 1)^-decay for the t-th round: probes become rare with time."""
    # Neither `**` nor math.pow: a logarithm and an exponential give the same bits at both speeds.
    return probing * exp(-probing_decay * log(rounds + 1.0))


@inlined
def age(stale: Matrix, rate: float) -> None:
    """Let all directions grow staler."""
    for i in range(stale.shape[0]):
        stale[i, i] += rate


@inlined
def refresh(stale: Matrix, action: Vector, ratio: float, along: Vector) -> float:
    """Take note that ``action`` was played; return its u before that.

    ``ratio`` is the noise over the parameter, squared.
    """
    d = action.size
    for i in range(d):
        along[i] = 0.0
    for k in range(d):
        x = action[k]
        for i in range(d):
            along[i] += x * stale[k, i]
    unseen, length = 0.0, 0.0
    for i in range(d):
        unseen += action[i] * along[i]
        length += action[i] * action[i]
    unseen = max(unseen, 0.0)  # rounding may say otherwise
    scale = 1.0 / math.sqrt(unseen + ratio)
    for i in range(d):
        along[i] *= scale
    for i in range(d):
        for k in range(d):
            stale[i, k] -= along[i] * along[k]
    return unseen / length if length > 0.0 else 0.0


@inlined
def due(stale: float) -> float:
    """Return ln(1 + u): what the best that could be true of an action counts beside its estimate."""
    return log(1.0 + stale)


@inlined
def promise(mean: float, spread: float, stale: float, most: float) -> float:
    """Return max(mean + spread, (mean + h most) / (1 + h)), h = ln(1 + u): optimism, or a probe.

    ``most`` is the largest reward that the action could have.
    """
    weight = due(stale)
    return max(mean + spread, (mean + weight * most) / (1.0 + weight))


def staleness_of(stale: float) -> float:
    """Return h / (1 + h), what the best that could be true counts in a probe: 0 if seen just now."""
    weight = due(stale)
    return weight / (1.0 + weight)
