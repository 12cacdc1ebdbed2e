"""How a reward follows from its expectation: by noise of some kind, or as a coin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import LARGEST_PARAMETER, require_known, require_number
from ...core.randomness.many_normals import many_normals, plus_normals

__all__ = [
    "BernoulliRewards",
    "GaussianRewards",
    "HeavyTailedRewards",
    "HeteroscedasticRewards",
    "OutlierRewards",
    "RewardKind",
    "RewardLaw",
    "SaleRewards",
    "ScaledGaussianRewards",
    "require_noise",
    "reward_law",
]

RewardKind: TypeAlias = Literal[
    "gaussian", "bernoulli", "heavy-tailed", "heteroscedastic", "outliers"
]

# A probability computed as an inner product may miss 0 or 1 by rounding; that is no mistake of
# the caller, and a coin with probability 1 + 1e-12 always shows 1, as it should.
_ROUNDING = 1e-12

_ONE_IN_A_HUNDRED = 2.5758293035489004  # what a normal number is beyond with that probability
_OUTLIER = 10.0  # times as large as the noise of other rounds
_OF_THE_MIXTURE = math.sqrt(0.99 + 0.01 * _OUTLIER * _OUTLIER)


class GaussianRewards(NamedTuple):
    r"""Expectation plus normal noise.

    That is :math:`Y_t = \langle x, \theta_t \rangle + \eta_t`. All arms of a round share :math:`\eta_t`, so that
    policies which are compared on one seed meet the same luck whatever they play.
    """

    noise: float  # standard deviation, which is also the sub-Gaussian proxy R

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes n normal numbers."""
        return plus_normals(means, self.noise, random)


class ScaledGaussianRewards(NamedTuple):
    r"""Expectation plus normal noise of a size that depends on the arm, :math:`s_k \eta_t`.

    All arms of a round share :math:`\eta_t`, as they do in `GaussianRewards`.
    """

    noise: float  # the sub-Gaussian proxy R: the largest scale
    scales: NDArray[np.float64]  # (K,): the standard deviation of each arm

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes n normal numbers."""
        return means + self.scales * many_normals(random, len(means))[:, None]


class BernoulliRewards(NamedTuple):
    r"""A reward of 1 with the expectation as its probability, otherwise 0.

    All arms of a round share one uniform number :math:`u_t`; arm k brings 1 if
    :math:`u_t < \mu_{t,k}`.
    """

    noise: float = 0.5  # Hoeffding's lemma: what lies in [0, 1] is 1/2-sub-Gaussian

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Refuse an expectation that is no probability; ``first`` is the round of row 0."""
        wrong = (means < -_ROUNDING) | (means > 1.0 + _ROUNDING)
        if wrong.any():
            row, arm = np.argwhere(wrong)[0]
            raise ValueError(
                "expected rewards must be in [0, 1] when rewards are bernoulli, "
                f"got {means[row, arm]} in round {first + row}"
            )

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes n uniform numbers."""
        return (random.random(len(means))[:, None] < means).astype(np.float64)


class SaleRewards(NamedTuple):
    """The price of an arm with the probability that makes the expectation true, otherwise 0.

    All arms of a round share one uniform number: whoever accepts a price accepts a lower one.
    """

    noise: float  # Hoeffding's lemma: half of the largest price
    prices: NDArray[np.float64]  # (K,)

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes n uniform numbers."""
        is_sold = random.random(len(means))[:, None] * self.prices < means
        return np.where(is_sold, self.prices, 0.0)


class HeavyTailedRewards(NamedTuple):
    """Expectation plus noise that has a variance, and hardly more: Student's, 3 degrees of freedom.

    It is not sub-Gaussian: the proxy that theory asks for does not exist. Policies are told
    the standard deviation. All arms of a round share the noise.
    """

    noise: float  # standard deviation

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes four normal numbers for each round."""
        # t = Z / sqrt(chi2 / 3) has variance 3; four numbers a round, whatever the block.
        normal = many_normals(random, (len(means), 4))
        spread: NDArray[np.float64] = np.sqrt((normal[:, 1:] * normal[:, 1:]).sum(axis=1))
        return means + (self.noise * (normal[:, 0] / spread))[:, None]


class HeteroscedasticRewards(NamedTuple):
    """Expectation plus normal noise that is larger where more is expected.

    Its standard deviation is (1/4 + 3/2 m) times ``scale`` for an expected reward of m, which is
    taken as 0 below 0 and as 1 above 1. All arms of a round share the normal number.
    """

    scale: float  # the standard deviation at an expected reward of one half

    @property
    def noise(self) -> float:
        """The sub-Gaussian proxy R: the largest standard deviation."""
        return 1.75 * self.scale

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes n normal numbers."""
        expected = np.minimum(np.maximum(means, 0.0), 1.0)
        deviations = self.scale * (0.25 + 1.5 * expected)
        return means + deviations * many_normals(random, len(means))[:, None]


class OutlierRewards(NamedTuple):
    """Expectation plus normal noise that in one round of a hundred is ten times as large.

    Policies are told the standard deviation of all rounds together. All arms of a round share the
    noise.
    """

    noise: float  # standard deviation

    def check(self, means: NDArray[np.float64], first: int) -> None:
        """Accept any expectation."""

    def draw(self, means: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        """Return the (n, K) rewards of n rounds; takes two normal numbers for each round."""
        normal = many_normals(random, (len(means), 2))
        is_outlier = np.abs(normal[:, 1]) > _ONE_IN_A_HUNDRED
        deviations = self.noise / _OF_THE_MIXTURE * np.where(is_outlier, _OUTLIER, 1.0)
        return means + (deviations * normal[:, 0])[:, None]


RewardLaw: TypeAlias = (
    GaussianRewards
    | ScaledGaussianRewards
    | BernoulliRewards
    | HeavyTailedRewards
    | HeteroscedasticRewards
    | OutlierRewards
    | SaleRewards
)
_KINDS: dict[str, Callable[[float], RewardLaw]] = {
    "gaussian": GaussianRewards,
    "heavy-tailed": HeavyTailedRewards,
    "heteroscedastic": HeteroscedasticRewards,
    "outliers": OutlierRewards,
}


def require_noise(noise: float | None) -> float:
    """Return the scale of a world's noise, 0.1 by default, or say what is wrong with it."""
    if noise is None:
        return 0.1
    return require_number("noise", noise, at_least=0.0, largest=LARGEST_PARAMETER)


def reward_law(rewards: str, noise: float | None) -> RewardLaw:
    """Return the law that a world's ``rewards`` and ``noise`` ask for.

    Examples
    --------
    >>> reward_law("gaussian", None)
    GaussianRewards(noise=0.1)
    >>> reward_law("bernoulli", 0.1)
    Traceback (most recent call last):
    driftwise...ValueError: noise must be left out when rewards are bernoulli, whose spread follows from
    the expected reward, got 0.1
    """
    if require_known("rewards", rewards, [*_KINDS, "bernoulli"]) != "bernoulli":
        return _KINDS[rewards](require_noise(noise))
    if noise is not None:
        raise RuleValueError(
            "noise",
            "be left out when rewards are bernoulli, whose spread follows from the expected reward",
            noise,
        )
    return BernoulliRewards()
