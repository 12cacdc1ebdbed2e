from .results import Course, Difference, Evaluated, Evaluation
from .value import value

__all__ = ["Course", "Difference", "Evaluated", "Evaluation", "value"]
