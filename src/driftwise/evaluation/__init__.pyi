from .advice import advice
from .all_traffic import all_traffic
from .forgetting import forgetting
from .gains import Gain, Gains
from .replay import replay
from .results import Course, Difference, Evaluated, Evaluation
from .share import share
from .value import value

__all__ = [
    "Course",
    "Difference",
    "Evaluated",
    "Evaluation",
    "Gain",
    "Gains",
    "advice",
    "all_traffic",
    "forgetting",
    "replay",
    "share",
    "value",
]
