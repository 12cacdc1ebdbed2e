"""From standings in many scenarios to one line per policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..setup.building import Builder
from .standings import Standings

__all__ = ["CALM", "Ratios", "Score", "Scoreboard", "score", "scoreboard_of"]

CALM = "stationary"  # the family in which nothing changes

Ratios = Mapping[str, Mapping[str, Mapping[str, float]]]  # by policy, comparator, scenario


class Score(NamedTuple):
    """How a policy does against one comparator: its regret over the comparator's."""

    geometric_mean: float
    drifting: float  # the same, over scenarios in which something changes
    worst: float
    worst_scenario: str
    families: dict[str, float]  # geometric mean in each
    ratios: dict[str, float]  # in each scenario that it can play


class Scoreboard(NamedTuple):
    """Every policy against every comparator."""

    scenarios: dict[str, str]  # the family of each
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


def score(builder: Builder, standings: Iterable[Standings]) -> Scoreboard:
    """Compare every policy with every comparator over all scenarios of an experiment.

    Where a comparator has no regret, nobody has a score against it.
    """
    experiment = builder.experiment
    families = {world.label: world.family or world.label for world in experiment.worlds}
    comparators = tuple(experiment.comparators)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for each in standings:
        for row in each.standings:
            own = found.setdefault(row.policy, {label: {} for label in comparators})
            for label, ratio in row.ratios.items():
                if math.isfinite(ratio.value):
                    own[label][each.world] = ratio.value
    found = {policy: own for policy, own in found.items() if all(own.values())}
    told = {
        entry.label: type(_any_policy(builder, entry.label)).card.knows
        for entry in experiment.policies
        if entry.label in found
    }
    return scoreboard_of(families, comparators, found, told, experiment.scenario_seed)


def scoreboard_of(
    families: Mapping[str, str],
    comparators: Iterable[str],
    ratios: Ratios,
    told: Mapping[str, str],
    fuzz: int | None,
) -> Scoreboard:
    """Sum ratios up; ``families`` tells that of each scenario."""
    families = dict(families)
    return Scoreboard(
        scenarios=families,
        families=tuple(dict.fromkeys(families.values())),
        comparators=tuple(comparators),
        scores={
            policy: {label: _score(dict(each), families) for label, each in own.items()}
            for policy, own in ratios.items()
        },
        told=dict(told),
        fuzz=fuzz,
    )


def _any_policy(builder: Builder, label: str) -> Any:
    """Return the policy as it plays in the first world that it can play in."""
    return next(
        builder.policy(label, world, horizon)
        for world, horizon in builder.experiment.settings
        if builder.refusal(label, world, horizon) is None
    )


def _score(ratios: dict[str, float], families: dict[str, str]) -> Score:
    grouped: dict[str, list[float]] = {}
    for scenario, ratio in ratios.items():
        grouped.setdefault(families[scenario], []).append(ratio)
    worst = max(ratios, key=ratios.__getitem__)
    drifting = [r for scenario, r in ratios.items() if families[scenario] != CALM]
    return Score(
        geometric_mean=_geometric_mean(ratios.values()),
        drifting=_geometric_mean(drifting),
        worst=ratios[worst],
        worst_scenario=worst,
        families={family: _geometric_mean(values) for family, values in grouped.items()},
        ratios=ratios,
    )


def _geometric_mean(values: Iterable[float]) -> float:
    given = np.array(list(values))
    if len(given) == 0:
        return math.nan
    return float(np.exp(np.log(given).mean())) if given.all() else 0.0  # once nothing was lost
