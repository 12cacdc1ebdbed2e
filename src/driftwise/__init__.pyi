from . import (
    checks,
    core,
    delays,
    evaluation,
    experiments,
    extend,
    features,
    logs,
    policies,
    registry,
    scores,
    theory,
    worlds,
)
from .core.contract.decision import Decision
from .core.contract.unit_ball import UnitBall
from .core.engine.agent import Agent
from .core.engine.expectations import SettingsWarning
from .core.engine.history import History
from .core.engine.run import Run
from .core.engine.simulate import simulate, simulate_all
from .logs.log import Log
from .policies.ad_switch import AdSwitch
from .policies.adaptive_ucb import AdaptiveUCB
from .policies.bandit_over_bandit import BanditOverBandit
from .policies.corral import Corral
from .policies.detecting_lin_ucb import DetectingLinUCB
from .policies.discounted_arms_ucb import DiscountedArmsUCB
from .policies.discounted_beta_ts import DiscountedBetaTS
from .policies.discounted_gaussian_ts import DiscountedGaussianTS
from .policies.discounted_glm_ucb import DiscountedGLMUCB
from .policies.discounted_lin_ts import DiscountedLinTS
from .policies.discounted_lin_ucb import DiscountedLinUCB
from .policies.discounted_rand_lin_ucb import DiscountedRandLinUCB
from .policies.doubling import Doubling
from .policies.epsilon_greedy import EpsilonGreedy
from .policies.exp3 import Exp3
from .policies.exp3s import Exp3S
from .policies.exploring import Exploring
from .policies.glr_ucb import GLRUCB
from .policies.hedging_arms_ucb import HedgingArmsUCB
from .policies.lin_ts import LinTS
from .policies.lin_ucb import LinUCB
from .policies.master import Master
from .policies.oracle_restart import OracleRestart
from .policies.rerun_ucbv import RerunUCBV
from .policies.restart_ucb import RestartUCB
from .policies.rexp3 import Rexp3
from .policies.sliding_window_arms_ucb import SlidingWindowArmsUCB
from .policies.sliding_window_beta_ts import SlidingWindowBetaTS
from .policies.sliding_window_glm_ucb import SlidingWindowGLMUCB
from .policies.sliding_window_ucb import SlidingWindowUCB
from .policies.ucb1 import UCB1
from .policies.uniform import Uniform
from .policies.weighted_ucb import WeightedUCB
from .scores.recommending import Recommendation, recommend

__all__ = [
    "GLRUCB",
    "UCB1",
    "AdSwitch",
    "AdaptiveUCB",
    "Agent",
    "BanditOverBandit",
    "Corral",
    "Decision",
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
    "History",
    "LinTS",
    "LinUCB",
    "Log",
    "Master",
    "OracleRestart",
    "Recommendation",
    "RerunUCBV",
    "RestartUCB",
    "Rexp3",
    "Run",
    "SettingsWarning",
    "SlidingWindowArmsUCB",
    "SlidingWindowBetaTS",
    "SlidingWindowGLMUCB",
    "SlidingWindowUCB",
    "Uniform",
    "UnitBall",
    "WeightedUCB",
    "checks",
    "core",
    "delays",
    "evaluation",
    "experiments",
    "extend",
    "features",
    "logs",
    "policies",
    "recommend",
    "registry",
    "scores",
    "simulate",
    "simulate_all",
    "theory",
    "worlds",
]

__version__: str
