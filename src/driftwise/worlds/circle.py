"""What the two circles of Russac et al. share: two coordinates, and fresh arms in every round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ..core.base.card import Card
from .linear import LinearWorld
from .parts.blocks import Offer
from .parts.fresh_arms import fresh_arms

__all__ = ["Circle"]


class Circle(LinearWorld):
    """A world in the plane whose arms are redrawn in every round.

    Parameters
    ----------
    horizon
        The number of rounds T.
    n_arms
        How many actions each round offers.
    noise
        The standard deviation of Gaussian noise; 1 by default.
    """

    card: ClassVar[Card] = Card(
        source="Russac, Vernade, Cappé (NeurIPS 2019)",
        knows="",
        guarantee="Assumption 1 fails: the arms are redrawn in every round",
    )

    def __init__(self, *, horizon: int, n_arms: int, noise: float | None) -> None:
        super().__init__(
            horizon=horizon, n_arms=n_arms, dimension=2, noise=1.0 if noise is None else noise
        )

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield fresh arms for every round."""
        return fresh_arms(self.round_numbers(size), seed=seed, n_arms=self.n_arms, dimension=2)
