from .abrupt_circle import AbruptCircle
from .ads_allocation import AdsAllocation
from .autoregressive import Autoregressive
from .ball_world import BallWorld
from .common_season import CommonSeason
from .fresh_sets import FreshSets
from .hidden_improvement import HiddenImprovement
from .linear import LinearWorld
from .lower_bound import LowerBound
from .lower_bound_ball import LowerBoundBall
from .nearly_collinear import NearlyCollinear
from .orthogonal_sets import OrthogonalSets
from .parts.variation import Variation
from .posted_prices import PostedPrices
from .pricing import Pricing
from .random_walk import RandomWalk
from .recorded import Recorded
from .seasonal import Seasonal
from .sinusoid import Sinusoid
from .slate import Slate
from .smooth_circle import SmoothCircle
from .stationary import Stationary
from .stopping_drift import StoppingDrift
from .switching import Switching
from .world import World

__all__ = [
    "AbruptCircle",
    "AdsAllocation",
    "Autoregressive",
    "BallWorld",
    "CommonSeason",
    "FreshSets",
    "HiddenImprovement",
    "LinearWorld",
    "LowerBound",
    "LowerBoundBall",
    "NearlyCollinear",
    "OrthogonalSets",
    "PostedPrices",
    "Pricing",
    "RandomWalk",
    "Recorded",
    "Seasonal",
    "Sinusoid",
    "Slate",
    "SmoothCircle",
    "Stationary",
    "StoppingDrift",
    "Switching",
    "Variation",
    "World",
]
