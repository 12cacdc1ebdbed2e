"""An experiment as data: who plays where, for how long, and what the paper says of it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from typing import Any, NamedTuple

from ..core.seeds import named_seed
from ..policies import BanditOverBandit, Exp3S, SlidingWindowUCB
from ..theory import slope
from ..worlds import Sinusoid

__all__ = ["Claim", "Experiment", "Paper", "load_paper"]


class Claim(NamedTuple):
    """A sentence of the paper, and the numbers by which it is judged."""

    title: str
    quote: str
    rule: str  # one of the names in `verdicts.RULES`
    high: float  # the limit, or the upper end, or the tolerance: the rule says which
    low: float = 0.0


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper.

    Every method depends on nothing but its arguments, so that any cell of the experiment can be
    run alone, anywhere, with the same result.
    """

    name: str
    title: str
    setting: str
    horizons: tuple[int, ...]
    n_arms: int
    noise: float
    variation_exponent: float
    is_variation_known: bool
    policies: tuple[str, ...]  # ratios are the first's regret over the second's
    rates: tuple[str, ...]  # the name of each policy's rate in `theory`
    claims: tuple[Claim, ...]

    def variation(self, horizon: int) -> float:
        """Return the nominal variation B_T = T^exponent."""
        return float(horizon**self.variation_exponent)

    def world(self, horizon: int) -> Sinusoid:
        """Return the paper's sinusoid, with the factor 5 as printed."""
        return Sinusoid(horizon=horizon, variation=self.variation(horizon), noise=self.noise)

    def policy(self, name: str, horizon: int) -> Any:
        """Return a policy, tuned as the paper does with what it may know."""
        known = self.variation(horizon) if self.is_variation_known else None
        return _MAKERS[name](horizon, self.n_arms, self.noise, known)

    def seed(self, seed: int, horizon: int, replication: int) -> int:
        """Return the seed of one replication, which all policies of the experiment share."""
        return named_seed(seed, f"{self.name}/T={horizon}/replication={replication}")

    def exponent(self, name: str) -> float:
        """Return the power of T with which theory lets a policy's regret grow."""
        rate = self.rates[self.policies.index(name)]
        return float(slope(rate, variation_exponent=self.variation_exponent))


class Paper(NamedTuple):
    """The experiments of the paper, and what its text leaves open or gets wrong."""

    experiments: tuple[Experiment, ...]
    left_open: tuple[tuple[str, str], ...]  # what, and what is taken here
    slips: tuple[tuple[str, str], ...]
    quick_replications: int


def load_paper(*, quick: bool = False) -> Paper:
    """Return the paper's experiments, on fewer horizons if ``quick``.

    Examples
    --------
    >>> figure_1, figure_2 = load_paper().experiments
    >>> figure_1.policies, figure_2.policies
    (('SW-UCB', 'EXP3.S'), ('BOB', 'SW-UCB'))
    >>> round(figure_2.variation(27_000), 9)
    30.0
    """
    data = tomllib.loads(resources.files(__package__).joinpath("paper.toml").read_text("utf-8"))
    horizons = tuple(data["quick_horizons" if quick else "horizons"])
    experiments = tuple(
        Experiment(
            name=entry["name"],
            title=entry["title"],
            setting=entry["setting"],
            horizons=horizons,
            n_arms=data["n_arms"],
            noise=data["noise"],
            variation_exponent=float(Fraction(entry["variation_exponent"])),
            is_variation_known=entry["is_variation_known"],
            policies=tuple(entry["policies"]),
            rates=tuple(entry["rates"]),
            claims=tuple(Claim(**claim) for claim in entry["claims"]),
        )
        for entry in data["experiments"]
    )
    return Paper(
        experiments,
        tuple((entry["what"], entry["taken"]) for entry in data["left_open"]),
        tuple((entry["what"], entry["text"]) for entry in data["slips"]),
        data["quick_replications"],
    )


def _sliding_window(horizon: int, n_arms: int, noise: float, variation: float | None) -> Any:
    return SlidingWindowUCB.tuned(
        horizon=horizon, dimension=n_arms, variation=variation, noise=noise
    )


def _bandit_over_bandit(horizon: int, n_arms: int, noise: float, variation: float | None) -> Any:
    return BanditOverBandit.tuned(horizon=horizon, dimension=n_arms, noise=noise)


def _exp3s(horizon: int, n_arms: int, noise: float, variation: float | None) -> Any:
    return Exp3S.tuned(horizon=horizon, n_arms=n_arms, variation=variation)


_MAKERS: dict[str, Callable[[int, int, float, float | None], Any]] = {
    "SW-UCB": _sliding_window,
    "BOB": _bandit_over_bandit,
    "EXP3.S": _exp3s,
}
