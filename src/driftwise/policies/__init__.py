"""The policies, one algorithm per file."""

from __future__ import annotations

from .bandit_over_bandit import BanditOverBandit
from .exp3 import Exp3
from .exp3s import Exp3S
from .sliding_window_ucb import SlidingWindowUCB

__all__ = ["BanditOverBandit", "Exp3", "Exp3S", "SlidingWindowUCB"]
