"""How fast to forget rewards of arms whose means change abruptly, G times (Garivier, Moulines)."""

from __future__ import annotations

import math

from ..core.base.validation import require_integer, require_number
from .rounding import floor

__all__ = ["abrupt_discount", "abrupt_window"]


def abrupt_window(*, horizon: int, n_changes: int | None, reward_range: float) -> int:
    r"""Return the window of Garivier and Moulines for abrupt changes.

    .. math:: \tau = \left\lfloor 2 b \sqrt{T \ln T / \Upsilon_T} \right\rfloor,

    clipped to [1, T]. An unknown number of changes counts as 1; without changes the window is T.

    Examples
    --------
    >>> abrupt_window(horizon=10_000, n_changes=2, reward_range=1.0)
    429
    >>> abrupt_window(horizon=10_000, n_changes=0, reward_range=1.0)
    10000
    """
    horizon, changes, reward_range = _checked(horizon, n_changes, reward_range)
    if changes == 0:
        return horizon
    ideal = 2.0 * reward_range * math.sqrt(horizon * math.log(horizon) / changes)
    return max(1, floor(min(ideal, horizon)))


def abrupt_discount(*, horizon: int, n_changes: int | None, reward_range: float) -> float:
    r"""Return the discount of Garivier and Moulines for abrupt changes.

    .. math:: \gamma = 1 - \frac{1}{4 b} \sqrt{\Upsilon_T / T},

    at least 1/2, below which little more than the last reward counts. An unknown number of changes
    counts as 1; without changes nothing is discounted.

    Examples
    --------
    >>> abrupt_discount(horizon=10_000, n_changes=4, reward_range=1.0)
    0.995
    >>> abrupt_discount(horizon=10_000, n_changes=0, reward_range=1.0)
    1.0
    """
    horizon, changes, reward_range = _checked(horizon, n_changes, reward_range)
    if changes == 0:
        return 1.0
    fading = math.sqrt(changes / horizon)
    # As a product, so that a range of zero needs no case of its own.
    return 0.5 if fading >= 2.0 * reward_range else 1.0 - fading / (4.0 * reward_range)


def _checked(horizon: int, n_changes: int | None, reward_range: float) -> tuple[int, int, float]:
    horizon = require_integer("horizon", horizon, unit="round")
    changes = 1 if n_changes is None else require_integer("n_changes", n_changes, at_least=0)
    return horizon, changes, require_number("reward_range", reward_range, at_least=0.0)
