from .checks.policies import check_policy
from .checks.worlds import check_world
from .core.base.arrays import Matrix, Vector
from .core.base.card import Card, described
from .core.base.limits import MOST, Limits
from .core.base.validation import (
    require_actions,
    require_array,
    require_between,
    require_flag,
    require_fraction,
    require_integer,
    require_known,
    require_number,
)
from .core.compiler.compiled import compilable, inlined
from .core.compiler.elementary import exp, log, log1p
from .core.contract.optional import expect, settle, tick
from .core.contract.policy import Choice, Policy
from .core.explain.arms_belief import arms_belief, mean_of_arms
from .core.explain.belief import Belief, faded_rounds, ridge_belief
from .core.randomness import draws
from .core.randomness.normals import normal
from .core.randomness.seeds import generator
from .core.randomness.ties import better
from .policies.forgetting.discount import Discounted, DiscountSettings, InflatedSettings
from .policies.forgetting.everything import Everything
from .policies.forgetting.restarts import PeriodSettings, RestartingAt, RestartingEvery
from .policies.forgetting.rules import Optimistic, RandomStrength, Sampled
from .policies.forgetting.window import Windowed, WindowSettings
from .worlds.ball_world import BallWorld
from .worlds.linear import LinearWorld
from .worlds.parts.base import BaseWorld

__all__ = [
    "MOST",
    "BallWorld",
    "BaseWorld",
    "Belief",
    "Card",
    "Choice",
    "DiscountSettings",
    "Discounted",
    "Everything",
    "InflatedSettings",
    "Limits",
    "LinearWorld",
    "Matrix",
    "Optimistic",
    "PeriodSettings",
    "Policy",
    "RandomStrength",
    "RestartingAt",
    "RestartingEvery",
    "Sampled",
    "Vector",
    "WindowSettings",
    "Windowed",
    "arms_belief",
    "better",
    "check_policy",
    "check_world",
    "compilable",
    "described",
    "draws",
    "exp",
    "expect",
    "faded_rounds",
    "generator",
    "inlined",
    "log",
    "log1p",
    "mean_of_arms",
    "normal",
    "require_actions",
    "require_array",
    "require_between",
    "require_flag",
    "require_fraction",
    "require_integer",
    "require_known",
    "require_number",
    "ridge_belief",
    "settle",
    "tick",
]
