"""The best of several, and fair draws among equals."""

from __future__ import annotations

from . import draws
from .compiled import inlined

__all__ = ["better"]


@inlined
def better(
    arm: int, value: float, best: int, bound: float, ties: int, luck: int
) -> tuple[int, float, int]:
    """Return the better of an arm and the best so far, its value, and how many tie for it.

    Of n equals each wins with probability 1/n: the n-th replaces the winner so far with
    probability 1/n. Numbers are drawn for ties only.
    """
    if value > bound:
        return arm, value, 1
    if value == bound:
        ties += 1
        if draws.uniform(luck, ties) * ties < 1.0:
            return arm, value, ties
    return best, bound, ties
