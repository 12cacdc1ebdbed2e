from . import checks, core, experiments, policies, registry, theory, worlds
from .core.agent import Agent, Decision
from .core.simulate import Run, simulate, simulate_all
from .policies.bandit_over_bandit import BanditOverBandit
from .policies.exp3 import Exp3
from .policies.exp3s import Exp3S
from .policies.sliding_window_ucb import SlidingWindowUCB

__all__ = [
    "Agent",
    "BanditOverBandit",
    "Decision",
    "Exp3",
    "Exp3S",
    "Run",
    "SlidingWindowUCB",
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
