"""What a policy that needs no tuning is held to, on scenarios that nobody tuned it for."""

from __future__ import annotations

from typing import NamedTuple

from ...scores.board import Scoreboard

__all__ = ["DRIFTING", "MEAN", "WORST", "Goal", "goals_of"]

MEAN = 0.42  # geometric mean against the first comparator
WORST = 2.0  # in any scenario, against the first comparator
DRIFTING = 1.3  # geometric mean where something changes, against the last comparator


class Goal(NamedTuple):
    """One number that was aimed at, and what came of it."""

    what: str
    limit: float
    reached: float

    @property
    def is_met(self) -> bool:
        """Whether the number is small enough."""
        return self.reached <= self.limit


def goals_of(board: Scoreboard, policy: str) -> tuple[Goal, ...]:
    """Return how a policy stands against each part of the target."""
    first, last = board.comparators[0], board.comparators[-1]
    own, strict = board.scores[policy][first], board.scores[policy][last]
    return (
        Goal(f"geometric mean over the {first}", MEAN, own.geometric_mean),
        Goal(f"worst over the {first}", WORST, own.worst),
        Goal(f"geometric mean over the {last}, where something changes", DRIFTING, strict.drifting),
    )
