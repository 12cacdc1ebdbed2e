"""A small experiment that many tests look at, and playing one cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from driftwise.experiments import Experiment
from driftwise.experiments.analysis.findings import Findings
from driftwise.experiments.execution import cells as cells_module
from driftwise.experiments.execution.results import save_results
from driftwise.experiments.execution.running import collect, play_missing
from driftwise.experiments.execution.store import Store
from driftwise.experiments.setup.building import Builder
from driftwise.experiments.spec.reading import parse_experiment
from driftwise.workers.engines import engine
from driftwise.workers.progress import Silence, show_progress

SMALL = """\
title = "A small experiment"
horizons = [300, 600]
replications = 4
checkpoints = 5
seed = 7

[[worlds]]
name = "Sinusoid"
label = "slow"

[[worlds]]
name = "Sinusoid"
label = "fast"
variation = "T ** (1/3)"

[[policies]]
name = "SlidingWindowUCB"
label = "SW-UCB"
rate = "sliding-window"

[[policies]]
name = "BanditOverBandit"
label = "BOB"

[[comparators]]
name = "SlidingWindowUCB"
label = "best fixed window"
grid = { window = [20, 200] }
"""


@pytest.fixture(scope="session")
def small_text() -> str:
    return SMALL


@pytest.fixture(scope="session")
def small_findings(small_text: str, tmp_path_factory: pytest.TempPathFactory) -> Findings:
    builder = Builder(parse_experiment(small_text, "small"))
    store = Store(tmp_path_factory.mktemp("cells"))
    with engine("threading", 1) as play_all, show_progress(1, quiet=True) as progress:
        assert play_missing(builder, store, play_all, progress)
    return Findings(builder.experiment, builder, *collect(builder, store), "driftwise run small")


@pytest.fixture
def experiment(small_text: str) -> Experiment:
    return parse_experiment(small_text, "mine")


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells_module, "_CELL_ROUNDS", 600)  # one or two replications each


@pytest.fixture(scope="session")
def run() -> Callable[..., bytes]:
    """Give a function that runs an experiment into a folder and returns the results file."""
    return _run


def _one_by_one(play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    yield from map(play, tasks)


def _run(experiment: Experiment, folder: Path, play_all: Any = _one_by_one) -> bytes:
    builder, store = Builder(experiment), Store(folder / "cells")
    play_missing(builder, store, play_all, Silence())
    results = collect(builder, store)
    return save_results(folder, experiment, results.numbers).read_bytes()
