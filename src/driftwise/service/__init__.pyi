from .client import Client
from .problem.reading import read_problem
from .problem.settings import Problem
from .serving import serve

__all__ = ["Client", "Problem", "read_problem", "serve"]
