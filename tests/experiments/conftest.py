"""A small version of the paper's experiments, and one run of it that many tests look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from driftwise.experiments.experiment import Paper, load_paper
from driftwise.experiments.findings import Order
from driftwise.experiments.outcome import Outcome
from driftwise.experiments.reproduce import reproduce_paper


@pytest.fixture(scope="session")
def small_paper() -> Paper:
    paper = load_paper()
    experiments = tuple(replace(e, horizons=(300, 600, 1200)) for e in paper.experiments)
    return paper._replace(experiments=experiments)


@pytest.fixture(scope="session")
def order() -> Order:
    return Order(replications=4, seed=7, quick=False, command="driftwise reproduce --seed <7>")


@pytest.fixture(scope="session")
def outcome(small_paper: Paper, order: Order, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("results")
    return reproduce_paper(small_paper, order, jobs=1, out=folder, quiet=True)


@pytest.fixture
def folder(outcome: Outcome) -> Path:
    return outcome.files["report.html"].parent
