"""Policies that differ in one number only, such as the window: what that number costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..setup.building import Builder
from ..spec.experiment import Entry
from .bootstrap import Estimate, estimate, resample
from .standings import regret_at

__all__ = ["Point", "Sweep", "find_sweeps", "varied_setting"]


class Point(NamedTuple):
    """One policy of a sweep."""

    label: str
    value: float  # of the setting
    regret: Estimate


class Sweep(NamedTuple):
    """A grid of one setting in one world at one horizon, and what theory would have set."""

    name: str  # the label that the policies of the grid share
    setting: str
    world: str
    horizon: int
    points: tuple[Point, ...]  # by rising value
    theory: tuple[Point, ...]  # contestants of the same class that were tuned

    @property
    def best(self) -> Point:
        """The point with the least regret."""
        return min(self.points, key=lambda point: point.regret.value)


def find_sweeps(
    builder: Builder, numbers: pl.DataFrame, world: str, horizon: int
) -> Iterator[Sweep]:
    """Yield the grids of an experiment, with mean regrets at the end and their 95% intervals."""
    families: dict[Any, list[Entry]] = {}
    for entry in builder.experiment.policies:
        families.setdefault(entry.place, []).append(entry)  # a grid stands at one place
    for family in families.values():
        setting = varied_setting(builder, family, world, horizon)
        if setting is None:
            continue
        tuned = [
            entry
            for entry in builder.experiment.policies
            if entry.name == family[0].name
            and entry not in family
            and entry.comparator is None
            and entry.is_tuned
            and setting not in entry.settings
        ]
        points = _points(builder, numbers, [*family, *tuned], setting, world, horizon)
        yield Sweep(
            name=family[0].comparator or family[0].name,
            setting=setting,
            world=world,
            horizon=horizon,
            points=tuple(sorted(points[: len(family)], key=lambda point: point.value)),
            theory=tuple(points[len(family) :]),
        )


def varied_setting(
    builder: Builder, family: Sequence[Entry], world: str, horizon: int
) -> str | None:
    """Return the one setting in which the policies of a grid differ, if it is a number."""
    policies = [builder.policy(entry.label, world, horizon) for entry in family]
    varied = {
        key
        for key in family[0].settings
        if any(entry.settings.get(key) != family[0].settings[key] for entry in family)
    }
    if len(varied) != 1:
        return None
    (setting,) = varied
    values = [getattr(policy, setting, None) for policy in policies]
    is_number = all(isinstance(value, Real) for value in values)
    return setting if is_number and len(set(values)) > 1 else None


def _points(
    builder: Builder,
    numbers: pl.DataFrame,
    entries: list[Entry],
    setting: str,
    world: str,
    horizon: int,
) -> list[Point]:
    regrets = regret_at(numbers, world, horizon)
    table = np.array([regrets[entry.label] for entry in entries])
    # The name is that of the other tables, so that intervals are the same in all of them.
    means = resample(table, builder.experiment.seed, f"{world}/T={horizon}")
    return [
        Point(
            entry.label,
            float(getattr(builder.policy(entry.label, world, horizon), setting)),
            estimate(mean, table.shape[1] > 1),
        )
        for entry, mean in zip(entries, means, strict=True)
    ]
