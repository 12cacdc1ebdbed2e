"""`driftwise results` and `driftwise experiments`: what a run has left, what comes with the package."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from driftwise.experiments import parse_experiment
from driftwise.experiments import run as run_experiment
from driftwise.experiments.spec.builtin import text_of

TINY = """\
horizons = [60]
replications = 2
checkpoints = 3

[[worlds]]
name = "Sinusoid"

[[policies]]
name = "Uniform"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tiny")
    run_experiment(parse_experiment(TINY, "tiny"), out=out, jobs=1, quiet=True)
    return out


def test_the_reward_of_the_whole_run_is_called_so(folder: Path, tmp_path: Path, text: Any) -> None:
    text("results", str(folder), "--csv", str(tmp_path / "all.csv"))
    rows = pl.read_csv(tmp_path / "all.csv")
    assert rows["round"].to_list() == [20, 40, 60] * 2
    assert rows["total_reward_at_end"].n_unique() == 2, "one for each run"
    assert "total_reward" not in rows.columns
    assert "total_reward" in pl.read_parquet(folder / "results.parquet").columns


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("no/all.csv", "csv must lie in a folder that exists"),
        (".", "csv must be a file and not a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_named(
    name: str, rule: str, folder: Path, tmp_path: Path, refusal: Any
) -> None:
    target = str(tmp_path / name)
    assert f"{rule}, got {target!r}" in refusal("results", str(folder), "--csv", target)


def test_an_experiment_of_the_package_as_json(document: Any) -> None:
    assert document("experiments", "ads") == tomllib.loads(text_of("ads"))
