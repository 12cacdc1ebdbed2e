"""Every policy against every yardstick over many scenarios, summed up to one line per policy."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "CALM", "Actions", "Kind", "Ratios", "Rewards", "Score", "Scoreboard", "geometric_mean", "scoreboard_of",
]  # fmt: skip

CALM = "stationary"  # the family in which nothing changes

Ratios = Mapping[str, Mapping[str, Mapping[str, float]]]  # by policy, comparator, scenario
Actions: TypeAlias = Literal["arms", "features"]  # the same in every round, or not
Rewards: TypeAlias = Literal["amounts", "clicks"]  # any numbers, or 0 and one other


class Kind(NamedTuple):
    """What a person can know of a scenario before the first round."""

    actions: Actions
    rewards: Rewards
    is_late: bool  # whether rewards come late, or never


class Score(NamedTuple):
    """How a policy does against one comparator: its regret over the comparator's."""

    geometric_mean: float
    low: float  # the mean, two standard errors less
    high: float  # and two more
    drifting: float  # the mean over scenarios in which something changes
    worst: float
    worst_scenario: str
    families: dict[str, float]  # geometric mean in each
    ratios: dict[str, float]  # in each scenario that it can play


class Scoreboard(NamedTuple):
    """Every policy against every comparator."""

    scenarios: dict[str, str]  # the family of each
    kinds: dict[str, Kind]  # of each scenario
    families: tuple[str, ...]
    comparators: tuple[str, ...]
    scores: dict[str, dict[str, Score]]  # by policy, then by comparator
    told: dict[str, str]  # what each policy must be told
    fuzz: int | None  # the seed that drew the scenarios; None if they are fixed

    @property
    def origin(self) -> str:
        """How many scenarios there are, and where they come from."""
        n = len(self.scenarios)
        if self.fuzz is None:
            return f"{n} fixed scenarios"
        return f"{n} scenarios drawn by seed {self.fuzz}"

    def plays_everywhere(self, policy: str) -> bool:
        """Return whether a policy could play in all scenarios that have a score at all."""
        return all(
            len(own.ratios) == max(len(each[comparator].ratios) for each in self.scores.values())
            for comparator, own in self.scores[policy].items()
        )

    def ranked(self, comparator: str) -> list[str]:
        """Return the policies that play everywhere, the best first, then the others."""

        def place(policy: str) -> tuple[bool, float]:
            own = self.scores[policy][comparator]
            return not self.plays_everywhere(policy), own.geometric_mean

        return sorted(self.scores, key=place)

    def among(self, scenarios: Collection[str]) -> Scoreboard:
        """Return the scoreboard of some scenarios, with the policies that can play in one of them."""
        ratios = {
            policy: {
                comparator: {each: r for each, r in score.ratios.items() if each in scenarios}
                for comparator, score in own.items()
            }
            for policy, own in self.scores.items()
        }
        return scoreboard_of(
            {each: family for each, family in self.scenarios.items() if each in scenarios},
            self.comparators,
            {policy: own for policy, own in ratios.items() if all(own.values())},
            self.told,
            self.fuzz,
            self.kinds,
        )


def scoreboard_of(
    families: Mapping[str, str],
    comparators: Iterable[str],
    ratios: Ratios,
    told: Mapping[str, str],
    fuzz: int | None,
    kinds: Mapping[str, Kind],
) -> Scoreboard:
    """Sum ratios up; ``families`` and ``kinds`` tell those of each scenario."""
    families = dict(families)
    return Scoreboard(
        scenarios=families,
        kinds={scenario: kinds[scenario] for scenario in families},
        families=tuple(dict.fromkeys(families.values())),
        comparators=tuple(comparators),
        scores={
            policy: {label: _score(dict(each), families) for label, each in own.items()}
            for policy, own in ratios.items()
        },
        told={policy: told[policy] for policy in ratios},
        fuzz=fuzz,
    )


def _score(ratios: dict[str, float], families: dict[str, str]) -> Score:
    grouped: dict[str, list[float]] = {}
    for scenario, ratio in ratios.items():
        grouped.setdefault(families[scenario], []).append(ratio)
    worst = max(ratios, key=ratios.__getitem__)
    drifting = [r for scenario, r in ratios.items() if families[scenario] != CALM]
    mean, low, high = geometric_mean(ratios.values())
    return Score(
        geometric_mean=mean,
        low=low,
        high=high,
        drifting=geometric_mean(drifting)[0],
        worst=ratios[worst],
        worst_scenario=worst,
        families={family: geometric_mean(values)[0] for family, values in grouped.items()},
        ratios=ratios,
    )


def geometric_mean(values: Iterable[float]) -> tuple[float, float, float]:
    """Return the mean, and two standard errors to either side: what other scenarios may bring.

    One value tells nothing of others, so it has no interval.

    Examples
    --------
    >>> geometric_mean([2.0, 2.0, 2.0])
    (2.0, 2.0, 2.0)
    """
    given = np.array(list(values))
    if len(given) == 0:
        return math.nan, math.nan, math.nan
    if not given.all():
        return 0.0, 0.0, math.nan  # once nothing was lost
    logs = np.log(given)
    middle = float(logs.mean())
    margin = 2.0 * float(logs.std(ddof=1)) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    return math.exp(middle), math.exp(middle - margin), math.exp(middle + margin)
