from .arm_rules import ForgetfulArms, OptimisticArms, Ranged
from .arms import AllRewards, Arms, FadingRewards, RecentRewards
from .discount import Discounted, DiscountSettings
from .draws import DrawnByChance
from .everything import Everything
from .linear import Forgetful, Linear, Unforgetful
from .logistic import Logistic
from .restarts import PeriodSettings, RestartingAt, RestartingEvery
from .rules import Optimistic, RandomStrength, Sampled
from .settings import ByDiscount, ByPeriod, ByWindow
from .thompson import BetaArms, NormalArms, SampledArms
from .window import Windowed, WindowSettings

__all__ = [
    "AllRewards",
    "Arms",
    "BetaArms",
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
    "NormalArms",
    "Optimistic",
    "OptimisticArms",
    "PeriodSettings",
    "RandomStrength",
    "Ranged",
    "RecentRewards",
    "RestartingAt",
    "RestartingEvery",
    "Sampled",
    "SampledArms",
    "Unforgetful",
    "WindowSettings",
    "Windowed",
]
