"""What every policy and every world must do: run it on your own.

Each check raises an ``AssertionError`` that says what is wrong.
"""

from .policies import check_policy
from .worlds import check_world

__all__ = ["check_policy", "check_world"]
