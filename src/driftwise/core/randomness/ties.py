"""The best of several, and fair draws among equals."""

from __future__ import annotations

from ..compiler.compiled import inlined
from . import draws

__all__ = ["better"]


@inlined
def better(
    arm: int, value: float, best: int, bound: float, ties: int, luck: int
) -> tuple[int, float, int]:
    """Return the better of an arm and the best so far, its value, and how many tie for it.

    Of n equals each wins with probability 1/n: the n-th replaces the winner so far with
    probability 1/n. Numbers are drawn for ties only.
    """
    # Equality first: flags that another comparison waits for would keep the compiler from moving
    # the work on luck into this branch.
    if value == bound:
        ties += 1
        if draws.uniform(luck, ties) * ties < 1.0:
            best = arm
    elif value > bound:
        best, bound, ties = arm, value, 1
    return best, bound, ties
