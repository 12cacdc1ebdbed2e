"""All that a run has led to, before it becomes files: figures and reports read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from ...scores.board import Scoreboard
from ...theory import slope
from ...worlds import Variation
from ..execution.cells import Cell, seed_of
from ..setup.building import Builder
from ..spec.experiment import Experiment
from .curves import Curve, Growth, curves_of, growth_of
from .drift import Drift, find_drift
from .hindsight import name_best
from .scoring import score
from .standings import Standings, stand
from .sweep import Sweep, find_sweeps
from .trace import Trace, find_rivals, trace_run
from .verdicts import Verdict, judge

__all__ = ["Findings"]


@dataclass(frozen=True, repr=False)
class Findings:
    """The numbers of one experiment and what follows from them; worked out when asked for."""

    experiment: Experiment
    builder: Builder
    numbers: pl.DataFrame
    missing: tuple[Cell, ...]  # what an interrupted run has not played
    command: str  # what makes the same numbers again

    def __repr__(self) -> str:
        parts = f"{len(self.pairs)} of {len(self.experiment.settings)} worlds and horizons"
        return f"<Findings of {self.experiment.name}: {parts}, {self.numbers.height:,} numbers>"

    @cached_property
    def _worked_out(self) -> dict[tuple[str, str, int], Any]:
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
    def finals(self) -> pl.DataFrame:
        """The last row of every run, which is all that most comparisons look at."""
        return self.numbers.filter(pl.col("round") == pl.col("horizon"))

    @cached_property
    def standings(self) -> tuple[Standings, ...]:
        """Who did how well, for every world and every horizon."""
        return tuple(
            stand(
                self.finals,
                world,
                horizon,
                seed=self.experiment.seed,
                comparators=self.experiment.comparators,
                held_out=self.experiment.held_out,
            )
            for world, horizon in self.pairs
        )

    @property
    def best(self) -> dict[tuple[str, int], dict[str, str]]:
        """For each world and horizon, which policy was best behind each comparator."""
        return {each.key: name_best(self.builder, each) for each in self.standings}

    @cached_property
    def scoreboard(self) -> Scoreboard:
        """Every policy against every comparator, over all worlds at once."""
        return score(self.builder, self.standings)

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
        """The power of T with which theory lets the regret of each policy grow, where it says so."""
        return {
            entry.label: float(
                slope(entry.rate, variation_exponent=self.experiment.variation_exponent)
            )
            for entry in self.experiment.policies
            if entry.rate is not None
        }

    def curves(self, world: str, horizon: int) -> Sequence[Curve]:
        """Return the regret of each contestant round by round."""
        curves: Sequence[Curve] = self._once(
            ("curves", world, horizon),
            lambda: curves_of(
                self.numbers.filter(pl.col("policy").is_in(self.experiment.contestants)),
                world,
                horizon,
                seed=self.experiment.seed,
            ),
        )
        return curves

    def sweeps(self, world: str, horizon: int) -> Sequence[Sweep]:
        """Return what each grid of a setting costs, point by point."""
        sweeps: Sequence[Sweep] = self._once(
            ("sweeps", world, horizon),
            lambda: tuple(find_sweeps(self.builder, self.finals, world, horizon)),
        )
        return sweeps

    def trace(self, world: str, horizon: int) -> Trace | None:
        """Return one run from the inside, where BOB and SW-UCB meet on two fixed arms."""
        rivals = find_rivals(self.builder, world, horizon)
        if rivals is None:
            return None
        trace: Trace = self._once(
            ("trace", world, horizon), lambda: trace_run(self.builder, world, horizon, rivals)
        )
        return trace

    def drift(self, world: str, horizon: int) -> Drift:
        """Return how a world moves in its first replication, line by line."""
        seed = seed_of(self.experiment.seed, world, horizon, 0)
        drift: Drift = self._once(
            ("drift", world, horizon), lambda: find_drift(self.builder.world(world, horizon), seed)
        )
        return drift

    def variation(self, world: str, horizon: int) -> Variation:
        """Return how far a world moves in its first replication."""
        seed = seed_of(self.experiment.seed, world, horizon, 0)
        variation: Variation = self._once(
            ("variation", world, horizon),
            lambda: self.builder.world(world, horizon).realised_variation(seed),
        )
        return variation

    def _once(self, key: tuple[str, str, int], work_out: Callable[[], Any]) -> Any:
        if key not in self._worked_out:
            self._worked_out[key] = work_out()
        return self._worked_out[key]

    @cached_property
    def _finished(self) -> pl.DataFrame:
        """The last rows of runs in worlds, and of horizons, that can be compared."""
        keys = {"world": pl.String, "horizon": pl.Int64}
        known = pl.DataFrame(self.pairs, schema=keys, orient="row")
        return self.finals.join(known, on=["world", "horizon"], how="semi")
