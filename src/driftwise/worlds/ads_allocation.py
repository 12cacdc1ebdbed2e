"""Ads to show: visitors arrive, ads come and go, and what people click on changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.base.card import Card
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.blocks import Offer
from .parts.norms import lengths
from .parts.turning import turn_per_round, turning

__all__ = ["AdsAllocation"]


class AdsAllocation(LinearWorld):
    r"""An ad to show to every visitor, from a slate that changes; tastes drift, rewards are clicks.

    There are d - 1 topics. A visitor brings a context :math:`u_t`, uniform in
    :math:`[0, 1]^{d-1}`: how much they care for each topic. An ad has features :math:`f_k`, a
    uniform direction: what it says on each topic. Showing it is the action

    .. math:: x_{t,k} = (1, \; u_t \circ f_k) / \sqrt 2, \qquad
              \theta_t = \sqrt 2 \, (-\beta, \; \tau_t),

    of length at most 1, and brings a click, a reward of 1, with probability
    :math:`\mu(\langle x_{t,k}, \theta_t \rangle)`, where :math:`\mu(v) = 1 / (1 + e^{-v})`. The
    taste vector :math:`\tau_t` turns at constant speed.

    Each of K places of the slate is renewed now and then: in each round with probability
    1 / ``lifetime``, by a new ad with probability ``filled`` (the first place: always), and
    otherwise by none. So ads come and go, and so does their number.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d: one more than the topics, so at least 3.
    n_arms
        The number of places K.
    variation
        The variation :math:`B_T` of the parameter, which is met exactly.
    lifetime
        How many rounds an ad stays, on average; at least 1.
    filled
        How likely a place that is renewed gets an ad, in (0, 1].
    reluctance
        :math:`\beta`: an ad that says nothing to a visitor is clicked with probability
        :math:`\mu(-\beta)`.
    strength
        The length of the taste vector, above 0.

    Notes
    -----
    Expected rewards are not linear in the parameter; `link` is the logistic function. Policies for
    linear rewards may play here, but what is proved for them is not meant for it.

    Examples
    --------
    >>> world = AdsAllocation(horizon=1000, variation=2.0)
    >>> chunk = next(world.rounds(seed=0, size=1000))
    >>> int(chunk.sizes.min()), int(chunk.sizes.max()), np.unique(chunk.rewards).tolist()
    (6, 10, [0.0, 1.0])
    >>> round(world.realised_variation().l2, 9), world.satisfies_assumption_one()
    (2.0, False)
    """

    card: ClassVar[Card] = Card(
        source="a simple model of ads allocation; logistic clicks as in generalised linear bandits",
        knows="",
        guarantee="Assumption 1 fails, and expected rewards are a logistic function of the "
        "inner product",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int = 6,
        n_arms: int = 10,
        variation: float = 1.0,
        lifetime: float = 200.0,
        filled: float = 0.7,
        reluctance: float = 1.0,
        strength: float = 3.0,
    ) -> None:
        super().__init__(
            horizon=horizon,
            n_arms=n_arms,
            dimension=require_integer("dimension", dimension, at_least=3),
            rewards="bernoulli",
        )
        self._lifetime = require_number("lifetime", lifetime, at_least=1.0)
        self._filled = require_fraction("filled", filled, inclusive=True)
        self._reluctance = require_number("reluctance", reluctance)
        self._strength = require_number("strength", strength, above=0.0)
        self._variation = require_number("variation", variation, at_least=0.0)
        self._turn = turn_per_round(
            horizon=self.horizon, variation=self._variation, radius=self._radius
        )

    @property
    def variation(self) -> float:
        """The variation B_T."""
        return self._variation

    @property
    def lifetime(self) -> float:
        """How many rounds an ad stays, on average."""
        return self._lifetime

    @property
    def filled(self) -> float:
        """How likely a place that is renewed gets an ad."""
        return self._filled

    @property
    def reluctance(self) -> float:
        """What makes people not click."""
        return self._reluctance

    @property
    def strength(self) -> float:
        """The length of the taste vector."""
        return self._strength

    @property
    def parameter_norm(self) -> float:
        """The length of the parameter, the same in every round."""
        return math.sqrt(2.0) * math.hypot(self._reluctance, self._strength)

    def link(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of a click: the logistic function, written so as not to overflow."""
        return 0.5 + 0.5 * np.tanh(0.5 * values)

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds; they do not depend on ``seed``."""
        for tastes in turning(
            self.round_numbers(size),
            dimension=self.dimension - 1,
            turn=self._turn,
            radius=self._radius,
        ):
            parameters = np.empty((len(tastes), self.dimension))
            parameters[:, 0] = -math.sqrt(2.0) * self._reluctance
            parameters[:, 1:] = tastes
            yield parameters

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield, for every round, its visitor crossed with the ads that are on the slate."""
        visitors = generator(seed, "visitors")
        topics = self.dimension - 1
        for features, is_there in self._slates(seed, size):
            contexts = visitors.random((len(features), 1, topics))
            actions = np.empty((len(features), self.n_arms, self.dimension))
            actions[:, :, 0] = 1.0
            actions[:, :, 1:] = contexts * features
            # Ads first, in the order of their places, and then what is empty.
            order = np.argsort(~is_there, axis=1, kind="stable")
            actions = np.take_along_axis(actions, order[:, :, None], axis=1)
            yield actions / math.sqrt(2.0), is_there.sum(axis=1)

    def _slates(
        self, seed: int, size: int
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool]]]:
        """Yield the features (n, K, d-1) in all places, and whether an ad is there (n, K)."""
        renewals, ads = generator(seed, "renewals"), generator(seed, "ads")
        places = np.arange(self.n_arms)
        # What a place got when it was last renewed; in the first round all are.
        features = np.zeros((self.n_arms, self.dimension - 1))
        is_there = np.zeros(self.n_arms, dtype=np.bool)
        for t in self.round_numbers(size):
            chances = renewals.random((len(t), self.n_arms, 2))
            is_new = (chances[:, :, 0] * self._lifetime < 1.0) | (t == 1)[:, None]
            is_ad = (chances[:, :, 1] < self._filled) | (places == 0)
            normals = ads.standard_normal((int(is_new.sum()), self.dimension - 1))
            # First the slate before this block, then all that is new in it, in order.
            known_features = np.concatenate([features, normals / lengths(normals)[:, None]])
            known_is_there = np.concatenate([is_there, is_ad[is_new]])
            newest = self.n_arms - 1 + np.cumsum(is_new).reshape(is_new.shape)
            which = _since_renewed(np.where(is_new, newest, places), is_new)
            yield known_features[which], known_is_there[which]
            features, is_there = known_features[which[-1]], known_is_there[which[-1]]

    @property
    def _radius(self) -> float:
        return math.sqrt(2.0) * self._strength


def _since_renewed(which: NDArray[np.int64], is_new: NDArray[np.bool]) -> NDArray[np.int64]:
    """Return what was in each place (n, K) when it was last renewed, or at first if it was not."""
    last = np.where(is_new, np.arange(len(is_new))[:, None], 0)
    return np.take_along_axis(which, np.maximum.accumulate(last, axis=0), axis=0)
