"""The policies, one algorithm per file."""

from __future__ import annotations

from .bandit_over_bandit import BanditOverBandit
from .discounted_lin_ts import DiscountedLinTS
from .discounted_lin_ucb import DiscountedLinUCB
from .discounted_rand_lin_ucb import DiscountedRandLinUCB
from .exp3 import Exp3
from .exp3s import Exp3S
from .lin_ts import LinTS
from .lin_ucb import LinUCB
from .oracle_restart import OracleRestart
from .restart_ucb import RestartUCB
from .sliding_window_ucb import SlidingWindowUCB
from .weighted_ucb import WeightedUCB

__all__ = [
    "BanditOverBandit",
    "DiscountedLinTS",
    "DiscountedLinUCB",
    "DiscountedRandLinUCB",
    "Exp3",
    "Exp3S",
    "LinTS",
    "LinUCB",
    "OracleRestart",
    "RestartUCB",
    "SlidingWindowUCB",
    "WeightedUCB",
]
