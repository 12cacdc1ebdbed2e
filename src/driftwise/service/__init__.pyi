from .problem.settings import Problem

__all__ = ["Problem"]
