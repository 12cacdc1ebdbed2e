"""Ads that come and go: each has a click rate of its own, and a few of them can be shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer, require_number
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.blocks import Offer

__all__ = ["Slate"]


class Slate(LinearWorld):
    r"""Ads that come and go: what is offered changes, what an ad is worth does not.

    A round offers K ads of a catalogue, one in each place. An ad is its own feature: the action of
    the i-th one is the i-th basis vector, and its coordinate of the parameter is its click rate,
    drawn once, all orders of magnitude between ``lowest`` and ``highest`` alike. In each
    round each place goes on to its next ad with probability 1 / ``lifetime``; after the last
    comes the first again.

    Parameters
    ----------
    horizon
        The number of rounds T.
    n_arms
        The number of places K.
    ads_per_place
        How many ads take turns in a place; the dimension is K times that.
    lifetime
        How many rounds an ad stays, on average; at least 1.
    lowest, highest
        The range of click rates, within (0, 1].

    Examples
    --------
    >>> world = Slate(horizon=3000, n_arms=4, ads_per_place=3)
    >>> chunk = next(world.rounds(seed=0, size=3000))
    >>> world.dimension, len(np.unique(chunk.actions.argmax(axis=2)))
    (12, 12)
    >>> world.number_of_changes(), np.unique(chunk.rewards).tolist()
    (0, [0.0, 1.0])
    """

    card: ClassVar[Card] = Card(
        source="a simple model of an ad server: rates per ad, and a slate that is renewed",
        knows="",
        guarantee="Assumption 1 holds: the actions are basis vectors",
    )

    def __init__(
        self,
        *,
        horizon: int,
        n_arms: int = 8,
        ads_per_place: int = 3,
        lifetime: float = 500.0,
        lowest: float = 0.002,
        highest: float = 0.03,
    ) -> None:
        n_arms = require_integer("n_arms", n_arms)
        self._ads_per_place = require_integer("ads_per_place", ads_per_place)
        super().__init__(
            horizon=horizon,
            n_arms=n_arms,
            dimension=n_arms * self._ads_per_place,
            rewards="bernoulli",
        )
        self._lifetime = require_number("lifetime", lifetime, at_least=1.0)
        self._lowest = require_number("lowest", lowest, above=0.0)
        self._highest = require_number("highest", highest, above=0.0)
        if not self._lowest <= self._highest <= 1.0:
            raise RuleValueError(
                "highest", "be at least lowest, and at most 1", highest, f"{lowest} and {highest}"
            )

    @property
    def ads_per_place(self) -> int:
        """How many ads take turns in a place."""
        return self._ads_per_place

    @property
    def lifetime(self) -> float:
        """How many rounds an ad stays, on average."""
        return self._lifetime

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the click rates of the catalogue, the same in every round."""
        low, high = math.log(self._lowest), math.log(self._highest)
        rates = np.exp(generator(seed, "rates").uniform(low, high, self.dimension))
        rates = np.minimum(rates, self._highest)  # the logarithm may round up
        for t in self.round_numbers(size):
            yield np.broadcast_to(rates, (len(t), self.dimension))

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield the ads that are on the slate."""
        random, places = generator(seed, "renewals"), np.arange(self.n_arms)
        ads = np.eye(self.dimension)
        turns = np.zeros(self.n_arms, dtype=np.int64)
        for t in self.round_numbers(size):
            is_new = random.random((len(t), self.n_arms)) * self._lifetime < 1.0
            shown = (turns + np.cumsum(is_new, axis=0)) % self._ads_per_place
            turns = shown[-1]
            yield ads[places * self._ads_per_place + shown], np.full(len(t), self.n_arms)
