"""Which rewards arrive when, worked out round by round, for reading."""

from collections.abc import Sequence

__all__ = ["arrivals_by_hand"]


def arrivals_by_hand(delays: Sequence[int]) -> list[list[int]]:
    """Return, for each round, the rounds whose rewards are learnt after its choice."""
    horizon = range(len(delays))
    return [[t for t in horizon if t + delays[t] == now] for now in horizon]
