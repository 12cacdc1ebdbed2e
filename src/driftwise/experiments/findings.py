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

    @property
    def is_complete(self) -> bool:
        """Whether every cell was played."""
        return not self.missing

    @cached_property
    def pairs(self) -> list[tuple[str, int]]:
        """The worlds and horizons of which all policies have finished a replication."""
        counts = self.numbers.group_by("world", "horizon", "replication").agg(
            pl.col("policy").n_unique()
        )
        full = counts.filter(pl.col("policy") == len(self.experiment.policies))
        known = set(full.select("world", "horizon").iter_rows())
        return [
            (world.label, horizon)
            for world in self.experiment.worlds
            for horizon in self.experiment.horizons
            if (world.label, horizon) in known
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
        own = self.numbers.filter(pl.col("policy").is_in(self.experiment.contestants))
        return curves_of(own, world, horizon, seed=self.experiment.seed)

    @cached_property
    def _finished(self) -> pl.DataFrame:
        """The rows of worlds and horizons that can be compared."""
        keys = {"world": pl.String, "horizon": pl.Int64}
        known = pl.DataFrame(self.pairs, schema=keys, orient="row")
        return self.numbers.join(known, on=["world", "horizon"], how="semi")
