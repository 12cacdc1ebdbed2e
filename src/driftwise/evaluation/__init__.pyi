from .advice import advice
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
    "forgetting",
    "replay",
    "share",
    "value",
]
