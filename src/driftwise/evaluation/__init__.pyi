from .advice import advice
from .replay import replay
from .results import Course, Difference, Evaluated, Evaluation
from .share import share
from .value import value

__all__ = [
    "Course",
    "Difference",
    "Evaluated",
    "Evaluation",
    "advice",
    "replay",
    "share",
    "value",
]
