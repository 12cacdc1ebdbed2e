from .async_client import AsyncClient
from .client import Client
from .operator import Operator
from .problem.reading import read_problem
from .problem.settings import Problem
from .serving import serve

__all__ = ["AsyncClient", "Client", "Operator", "Problem", "read_problem", "serve"]
