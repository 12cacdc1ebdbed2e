"""What a memory from outside must keep to before compiled code, which checks nothing, may read it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST", "Limits", "keeps_limits"]

MOST = 2**53  # the most that is ever counted: floats are exact up to here

# What arrays of a memory may hold: the numbers, the least that each may be and the most, both included.
Limits = list[tuple[NDArray[Any], Any, Any]]


def keeps_limits(memory: Any) -> bool:
    """Return whether all indices and counts of a memory, and of those inside it, are possible.

    A memory that has such numbers names them in a method ``_limits() -> Limits``, which runs in
    Python only. Shapes are counted from the last axis there, for several memories may be stacked in
    one along a first axis (`driftwise.core.compiler.layers`).

    Examples
    --------
    >>> from driftwise.core.models.arms.arm_window import arm_window
    >>> memory = arm_window(n_arms=2, window=3)
    >>> keeps_limits(memory)
    True
    >>> memory.played[1] = 2  # the arms are 0 and 1
    >>> keeps_limits(memory)
    False
    """
    if not isinstance(memory, tuple):
        return True
    own: Limits = memory._limits() if hasattr(memory, "_limits") else []
    return all(_lie_between(*each) for each in own) and all(keeps_limits(part) for part in memory)


def _lie_between(numbers: NDArray[Any], least: Any, most: Any) -> bool:
    return bool(np.all((numbers >= least) & (numbers <= most) & (numbers % 1 == 0)))
