from .ad_switch import AdSwitch
from .adaptive_ucb import AdaptiveUCB
from .bandit_over_bandit import BanditOverBandit
from .corral import Corral
from .detecting_lin_ucb import DetectingLinUCB
from .discounted_arms_ucb import DiscountedArmsUCB
from .discounted_beta_ts import DiscountedBetaTS
from .discounted_gaussian_ts import DiscountedGaussianTS
from .discounted_glm_ucb import DiscountedGLMUCB
from .discounted_lin_ts import DiscountedLinTS
from .discounted_lin_ucb import DiscountedLinUCB
from .discounted_rand_lin_ucb import DiscountedRandLinUCB
from .doubling import Doubling
from .epsilon_greedy import EpsilonGreedy
from .exp3 import Exp3
from .exp3s import Exp3S
from .exploring import Exploring
from .glr_ucb import GLRUCB
from .hedging_arms_ucb import HedgingArmsUCB
from .lin_ts import LinTS
from .lin_ucb import LinUCB
from .master import Master
from .oracle_restart import OracleRestart
from .rerun_ucbv import RerunUCBV
from .restart_ucb import RestartUCB
from .rexp3 import Rexp3
from .sliding_window_arms_ucb import SlidingWindowArmsUCB
from .sliding_window_beta_ts import SlidingWindowBetaTS
from .sliding_window_glm_ucb import SlidingWindowGLMUCB
from .sliding_window_ucb import SlidingWindowUCB
from .ucb1 import UCB1
from .uniform import Uniform
from .weighted_ucb import WeightedUCB

__all__ = [
    "GLRUCB",
    "UCB1",
    "AdSwitch",
    "AdaptiveUCB",
    "BanditOverBandit",
    "Corral",
    "DetectingLinUCB",
    "DiscountedArmsUCB",
    "DiscountedBetaTS",
    "DiscountedGLMUCB",
    "DiscountedGaussianTS",
    "DiscountedLinTS",
    "DiscountedLinUCB",
    "DiscountedRandLinUCB",
    "Doubling",
    "EpsilonGreedy",
    "Exp3",
    "Exp3S",
    "Exploring",
    "HedgingArmsUCB",
    "LinTS",
    "LinUCB",
    "Master",
    "OracleRestart",
    "RerunUCBV",
    "RestartUCB",
    "Rexp3",
    "SlidingWindowArmsUCB",
    "SlidingWindowBetaTS",
    "SlidingWindowGLMUCB",
    "SlidingWindowUCB",
    "Uniform",
    "WeightedUCB",
]
