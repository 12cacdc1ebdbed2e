from . import checks, core, experiments, policies, registry, theory, worlds
from .core.agent import Agent, Decision
from .core.simulate import Run, simulate, simulate_all
from .policies.bandit_over_bandit import BanditOverBandit
from .policies.discounted_lin_ts import DiscountedLinTS
from .policies.discounted_lin_ucb import DiscountedLinUCB
from .policies.discounted_rand_lin_ucb import DiscountedRandLinUCB
from .policies.exp3 import Exp3
from .policies.exp3s import Exp3S
from .policies.lin_ts import LinTS
from .policies.lin_ucb import LinUCB
from .policies.oracle_restart import OracleRestart
from .policies.restart_ucb import RestartUCB
from .policies.sliding_window_ucb import SlidingWindowUCB
from .policies.weighted_ucb import WeightedUCB

__all__ = [
    "Agent",
    "BanditOverBandit",
    "Decision",
    "DiscountedLinTS",
    "DiscountedLinUCB",
    "DiscountedRandLinUCB",
    "Exp3",
    "Exp3S",
    "LinTS",
    "LinUCB",
    "OracleRestart",
    "RestartUCB",
    "Run",
    "SlidingWindowUCB",
    "WeightedUCB",
    "checks",
    "core",
    "experiments",
    "policies",
    "registry",
    "simulate",
    "simulate_all",
    "theory",
    "worlds",
]

__version__: str
