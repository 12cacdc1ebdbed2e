from .arms import AllRewards, FadingRewards, ForgetfulArms, OptimisticArms, Ranged, RecentRewards
from .discount import Discounted, DiscountSettings
from .draws import DrawnByChance
from .everything import Everything
from .linear import Forgetful, Linear, Unforgetful
from .logistic import Logistic
from .restarts import PeriodSettings, RestartingAt, RestartingEvery
from .rules import Optimistic, RandomStrength, Sampled
from .settings import ByDiscount, ByPeriod, ByWindow
from .window import Windowed, WindowSettings

__all__ = [
    "AllRewards",
    "ByDiscount",
    "ByPeriod",
    "ByWindow",
    "DiscountSettings",
    "Discounted",
    "DrawnByChance",
    "Everything",
    "FadingRewards",
    "Forgetful",
    "ForgetfulArms",
    "Linear",
    "Logistic",
    "Optimistic",
    "OptimisticArms",
    "PeriodSettings",
    "RandomStrength",
    "Ranged",
    "RecentRewards",
    "RestartingAt",
    "RestartingEvery",
    "Sampled",
    "Unforgetful",
    "WindowSettings",
    "Windowed",
]
