"""Who did how well, by the numbers of a folder of results, or of several that were merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from ..execution.results import Origin
from ..setup.building import Builder
from .findings import Findings
from .hindsight import name_best
from .standings import Standings, stand

__all__ = ["compare"]


def compare(
    numbers: pl.DataFrame, origins: Sequence[Origin], *, round_: int | None = None
) -> tuple[list[Standings], dict[tuple[str, int], dict[str, str]]]:
    """Return the standings of every world and horizon, and who was best behind comparators."""
    builders = [Builder(origin.experiment) for origin in origins]
    comparators: dict[str, list[str]] = {}
    for builder in builders:
        for label, members in builder.experiment.comparators.items():
            own = comparators.setdefault(label, [])
            own += [member for member in members if member not in own]
    shown = list(dict.fromkeys(pair for pair in _finished_pairs(numbers, builders)))
    if round_ is not None:
        shown = [(world, horizon) for world, horizon in shown if horizon >= round_]
    if not shown:
        raise ValueError(
            "results must have a world and a horizon that all policies have finished a replication"
            " of" + (f", and that is {round_} rounds long" if round_ is not None else "")
        )
    standings = [
        stand(
            numbers,
            world,
            horizon,
            seed=origins[0].seed,
            comparators=comparators,
            held_out=frozenset().union(*(each.experiment.held_out for each in builders)),
            round_=round_,
        )
        for world, horizon in shown
    ]
    best = {
        each.key: name_best(builder, each)
        for each in standings
        for builder in builders
        if each.key in builder.experiment.settings
        and each.best_of.keys() <= builder.experiment.comparators.keys()
    }
    return standings, {each.key: best.get(each.key, each.best_of) for each in standings}


def _finished_pairs(
    numbers: pl.DataFrame, builders: Sequence[Builder]
) -> Iterator[tuple[str, int]]:
    """Yield the worlds and horizons that can be compared: all who play there have results."""
    for builder in builders:
        yield from Findings(builder.experiment, builder, numbers, (), "").pairs
