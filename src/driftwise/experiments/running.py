"""Running experiments, cell by cell, on any number of cores with the same result."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import joblib

from ..core.simulate import simulate_all
from .experiment import Experiment
from .numbers import Row
from .progress import Progress

__all__ = ["Cell", "list_cells", "play", "realised_variation", "run", "warm_up"]


class Cell(NamedTuple):
    """One replication at one horizon of one experiment: all of its policies, on the same noise."""

    experiment: Experiment
    horizon: int
    replication: int


def list_cells(experiments: Sequence[Experiment], replications: int) -> list[Cell]:
    """Return all cells, replication by replication.

    A run that is cut short then has about as many replications at every horizon.
    """
    return [
        Cell(experiment, horizon, replication)
        for replication in range(replications)
        for experiment in experiments
        # The longest first: the last cell to finish is then a short one.
        for horizon in sorted(experiment.horizons, reverse=True)
    ]


def run(
    cells: Sequence[Cell], *, seed: int, jobs: int, progress: Progress
) -> tuple[list[Row], bool]:
    """Play all cells; return their rows, and whether Ctrl-C stopped it before the last."""
    finished: list[list[Row]] = []

    def play_and_keep(cell: Cell) -> int:
        # Kept where it was played: a result that nobody has fetched yet survives Ctrl-C, too.
        finished.append(play(cell, seed))
        return cell.horizon

    is_interrupted = False
    # Threads, because the compiled loop leaves Python's lock alone and nothing need be copied.
    parallel = joblib.Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
    try:
        progress.say("Compiling")
        warm_up(list(dict.fromkeys(cell.experiment for cell in cells)))
        progress.say("Playing")
        with _closing(parallel(joblib.delayed(play_and_keep)(cell) for cell in cells)) as results:
            for rounds in results:
                progress.advance(rounds)
    except KeyboardInterrupt:
        is_interrupted = True
    return [row for rows in finished for row in rows], is_interrupted


def play(cell: Cell, seed: int) -> list[Row]:
    """Play one cell; return one row per policy."""
    experiment, horizon, replication = cell
    world = experiment.world(horizon)
    own_seed = experiment.seed(seed, horizon, replication)
    policies = [experiment.policy(name, horizon) for name in experiment.policies]
    runs = simulate_all(policies, world, seed=own_seed, checkpoints=1)
    variation = experiment.variation(horizon)
    realised = realised_variation(experiment, horizon)
    return [
        Row(
            experiment.name,
            name,
            horizon,
            variation,
            realised,
            replication,
            own_seed,
            float(finished.total_regret),
        )
        for name, finished in zip(experiment.policies, runs, strict=True)
    ]


@lru_cache
def realised_variation(experiment: Experiment, horizon: int) -> float:
    """Return the l2 length of the path, which is the same in every replication."""
    return float(experiment.world(horizon).realised_variation().l2)


def warm_up(experiments: Sequence[Experiment]) -> None:
    """Compile what the experiments need, on a horizon that takes no time itself.

    Otherwise every worker waits for the compiler, and the time left is estimated from that.
    """
    for experiment in experiments:
        play(Cell(experiment, 32, 0), seed=0)


@contextmanager
def _closing(results: Generator[int]) -> Iterator[Generator[int]]:
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # Closing early is what Ctrl-C is for; joblib would warn of cells that never ran.
            warnings.simplefilter("ignore")
            results.close()
