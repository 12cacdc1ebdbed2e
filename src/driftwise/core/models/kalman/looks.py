"""When to look at what went unseen, without a bound on what it could bring.

u, how stale an action is, grows by r in every round and is paid back when the action is seen. It is
looked at when u R^2 / (R^2 + (g / 4)^2) passes a random threshold, with g how far it is behind: the
tail of a jump whose size is like that of a Cauchy variable in units of the noise. The rate
r = (1 / 2) min(1, W / R)^(3/4) / sqrt(K (t + 1)) makes that one look in about sqrt(K t) rounds, and fewer
where differences are small against the noise: there each look costs little but says little, too.
"""

from __future__ import annotations

import math

from ...compiler.compiled import inlined

__all__ = ["look_rate", "overdue", "shortened"]

_LOOKING = 0.5
_REACH = 16.0  # (g / 4)^2


@inlined
def look_rate(n_arms: int, rounds: float, apart: float, noise: float) -> float:
    """Return r, given W and R."""
    share = 1.0 if apart >= noise else apart / noise
    slow = math.sqrt(share)
    return _LOOKING * slow * math.sqrt(slow) / math.sqrt(n_arms * (rounds + 1.0))


@inlined
def overdue(stale: float, gap: float, noise: float) -> float:
    """Return u R^2 / (R^2 + (g / 4)^2), given R^2."""
    return stale / (1.0 + gap * gap / (_REACH * noise)) if noise > 0.0 else 0.0


@inlined
def shortened(value: float, factor: float, noise: float) -> float:
    """Return 1 / (1 / value + factor / noise): a variance or a staleness after more has been seen."""
    # The product of two squares might overflow.
    return value / (1.0 + factor * (value / noise)) if noise > 0.0 else 0.0
