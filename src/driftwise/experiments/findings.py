"""All that a run has led to, before it becomes files: figures and reports read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ..theory import slope
from .curves import Curve, Growth, curves_of, growth_of
from .description.building import Builder
from .description.experiment import Experiment
from .hindsight import name_best
from .standings import Standings, stand
from .verdicts import Verdict, judge
from .work.cells import Cell

__all__ = ["Findings"]


@dataclass(frozen=True)
class Findings:
    """The numbers of one experiment and what follows from them; worked out when asked for."""

    experiment: Experiment
    builder: Builder
    numbers: pl.DataFrame
    missing: tuple[Cell, ...]  # what an interrupted run has not played
    command: str  # what makes the same numbers again

    @cached_property
    def _curves(self) -> dict[tuple[str, int], Sequence[Curve]]:
        return {}

    @property
    def is_complete(self) -> bool:
        """Whether every cell was played."""
        return not self.missing

    @cached_property
    def pairs(self) -> list[tuple[str, int]]:
        """The worlds and horizons of which all policies have finished a replication."""
        runs = self.numbers.group_by("world", "horizon", "replication")
        counts = runs.agg(pl.col("policy").n_unique())
        found = counts.group_by("world", "horizon").agg(pl.col("policy").max())
        most = {(world, horizon): n for world, horizon, n in found.iter_rows()}
        return [
            (world, horizon)
            for world, horizon in self.experiment.settings
            if most.get((world, horizon), 0) >= len(self.builder.players(world, horizon)) > 0
        ]

    @cached_property
    def standings(self) -> tuple[Standings, ...]:
        """Who did how well, for every world and every horizon."""
        return tuple(
            stand(
                self.numbers,
                world,
                horizon,
                seed=self.experiment.seed,
                comparators=self.experiment.comparators,
            )
            for world, horizon in self.pairs
        )

    @property
    def best(self) -> dict[tuple[str, int], dict[str, str]]:
        """For each world and horizon, which policy was best behind each comparator."""
        return {each.key: name_best(self.builder, each) for each in self.standings}

    @cached_property
    def growth(self) -> dict[str, list[Growth]]:
        """For each world, how regret grows with the horizon."""
        return {
            world: growth_of(
                self._finished, world, self.experiment.contestants, seed=self.experiment.seed
            )
            for world in dict.fromkeys(world for world, _ in self.pairs)
        }

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What became of each claim."""
        return tuple(judge(self.experiment, self._finished, self.growth, self.exponents))

    @property
    def exponents(self) -> dict[str, float]:
        """The power of T with which theory lets the regret of each policy grow, where it tells."""
        return {
            entry.label: float(
                slope(entry.rate, variation_exponent=self.experiment.variation_exponent)
            )
            for entry in self.experiment.policies
            if entry.rate is not None
        }

    def curves(self, world: str, horizon: int) -> Sequence[Curve]:
        """Return the regret of each contestant round by round."""
        if (world, horizon) not in self._curves:
            own = self.numbers.filter(pl.col("policy").is_in(self.experiment.contestants))
            drawn = curves_of(own, world, horizon, seed=self.experiment.seed)
            self._curves[world, horizon] = drawn
        return self._curves[world, horizon]

    @cached_property
    def _finished(self) -> pl.DataFrame:
        """The rows of worlds and horizons that can be compared."""
        keys = {"world": pl.String, "horizon": pl.Int64}
        known = pl.DataFrame(self.pairs, schema=keys, orient="row")
        return self.numbers.join(known, on=["world", "horizon"], how="semi")
