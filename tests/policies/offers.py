"""What a policy was offered in a round."""

from __future__ import annotations

from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.rounds import Rounds


def offer(rounds: Rounds, t: int) -> Matrix:
    """Return the decision set of one round, without the rows that stand for missing actions."""
    row = t if len(rounds.actions) > 1 else 0
    return rounds.actions[row, : rounds.sizes[row]]
