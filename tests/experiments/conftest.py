"""A small experiment that many tests look at."""

from __future__ import annotations

import pytest

from driftwise.experiments.description.building import Builder
from driftwise.experiments.description.reading import parse_experiment
from driftwise.experiments.findings import Findings
from driftwise.experiments.progress import show_progress
from driftwise.experiments.work.engines import engine
from driftwise.experiments.work.running import collect, play_missing
from driftwise.experiments.work.store import Store

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
