"""From standings in many scenarios to one scoreboard."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...scores.board import Kind, Scoreboard, scoreboard_of
from ..setup.building import Builder
from .standings import Standings

__all__ = ["kind_of", "score"]

_ROUNDS = 4096  # to look at: what a reward can be shows in fewer


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
    kinds = {
        label: kind_of(builder.world(label, horizon), experiment.seed)
        for label, horizon in experiment.settings
    }
    return scoreboard_of(families, comparators, found, told, experiment.scenario_seed, kinds)


def kind_of(world: Any, seed: int) -> Kind:
    """Return what a person can know of a world, as its first rounds show it.

    Examples
    --------
    >>> import driftwise as dw
    >>> kind_of(dw.worlds.Sinusoid(horizon=500, variation=1.0, rewards="bernoulli"), seed=0)
    Kind(actions='arms', rewards='clicks', is_late=False)
    """
    rewards = next(world.rounds(seed, min(_ROUNDS, world.horizon))).rewards
    others = np.unique(rewards[rewards != 0.0])
    return Kind(
        actions="features" if world.decision_set is None else "arms",
        rewards="clicks" if len(others) <= 1 else "amounts",
        is_late=world.delay is not None,
    )


def _any_policy(builder: Builder, label: str) -> Any:
    """Return the policy as it plays in the first world that it can play in."""
    return next(
        builder.policy(label, world, horizon)
        for world, horizon in builder.experiment.settings
        if builder.refusal(label, world, horizon) is None
    )
