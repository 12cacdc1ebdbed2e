from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from driftwise.experiments import Outcome, reproduce
from driftwise.experiments.experiment import Paper
from driftwise.experiments.findings import Order
from driftwise.experiments.progress import Silence
from driftwise.experiments.reproduce import reproduce_paper

FILES = {
    "report.html",
    "numbers.parquet",
    "numbers.csv",
    "summary.csv",
    *(f"{name}.{kind}" for name in ("figure-1", "figure-2", "one-run") for kind in ("png", "svg")),
}


class StopsAfter(Silence):
    """Progress that presses Ctrl-C after some cells."""

    def __init__(self, cells: int) -> None:
        self.left = cells

    def advance(self, rounds: int) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1


def interrupt(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    module = importlib.import_module("driftwise.experiments.reproduce")
    monkeypatch.setattr(module, "show_progress", lambda total, quiet: StopsAfter(after))


def test_a_run_leaves_its_files_and_nothing_else(outcome: Outcome, folder: Path) -> None:
    assert set(outcome.files) == FILES
    assert {path.name for path in folder.iterdir()} == FILES
    assert all(path == folder / name for name, path in outcome.files.items())
    assert not outcome.is_interrupted


def test_numbers_can_be_read_back(outcome: Outcome, folder: Path) -> None:
    numbers = pl.read_parquet(folder / "numbers.parquet")
    assert numbers.equals(outcome.findings.numbers)
    assert numbers.shape == (2 * 2 * 3 * 4, 8)
    assert numbers.equals(pl.read_csv(folder / "numbers.csv", schema=dict(numbers.schema)))
    assert numbers.select("figure", "policy", "horizon", "replication").is_unique().all()
    summary = pl.read_csv(folder / "summary.csv")
    means = numbers.group_by("figure", "policy", "horizon").agg(pl.col("regret").mean())
    joined = summary.join(means, on=["figure", "policy", "horizon"])
    assert len(joined) == len(summary) == 12
    assert (joined["regret_mean"] - joined["regret"]).abs().max() == pytest.approx(0.0, abs=1e-9)
    assert (summary["regret_low_95"] < summary["regret_mean"]).all()


def test_the_outcome_is_one_document(outcome: Outcome) -> None:
    document = json.loads(json.dumps(outcome.as_dict(), allow_nan=False))
    assert [verdict["figure"] for verdict in document["verdicts"]] == [
        "figure-1",
        "figure-2",
        "figure-2",
    ]
    assert document["interrupted"] is False
    assert document["seed"] == 7
    first = document["figures"][0]
    assert first["ratio_of"] == ["SW-UCB", "EXP3.S"]
    assert set(first["overall_ratio"]) == {"value", "low", "high"}
    assert [entry["replications"] for entry in first["finished"]] == [4, 4, 4]


def test_the_outcome_in_words_opens_with_the_verdicts(outcome: Outcome) -> None:
    lines = outcome.as_text().splitlines()
    assert lines[0].startswith("1. SW-UCB against EXP3.S: ")
    text = outcome.as_text()
    for verdict in outcome.findings.verdicts:
        assert verdict.sentence in text
    assert str(outcome.files["report.html"]) in text


def test_the_number_of_jobs_changes_no_file(
    small_paper: Paper, order: Order, outcome: Outcome, tmp_path: Path
) -> None:
    again = reproduce_paper(small_paper, order, jobs=2, out=tmp_path, quiet=True)
    for name, path in outcome.files.items():
        assert again.files[name].read_bytes() == path.read_bytes(), name


def test_an_interrupted_run_writes_what_is_finished(
    small_paper: Paper, order: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch, after=8)  # six cells are one replication
    outcome = reproduce_paper(small_paper, order, jobs=1, out=tmp_path, quiet=True)
    assert outcome.is_interrupted
    assert {path.name for path in tmp_path.iterdir()} == FILES
    # A cell whose result has arrived counts, whenever the interruption came.
    numbers = pl.read_parquet(tmp_path / "numbers.parquet")
    assert len(numbers) == 2 * 9
    finished = outcome.findings.finished["figure-1"]
    assert finished == {300: 2, 600: 2, 1200: 2}
    assert outcome.findings.finished["figure-2"] == {300: 1, 600: 1, 1200: 1}
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "This run was interrupted" in report
    assert "2 at 300, 2 at 600, 2 at 1,200" in report
    assert outcome.as_dict()["interrupted"] is True
    assert "Interrupted: 1 to 2 of 4 replications" in outcome.as_text()


@pytest.mark.parametrize("cells", [1, 2, 4])
def test_an_early_interruption_leaves_a_readable_report(
    small_paper: Paper, order: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    interrupt(monkeypatch, after=cells - 1)
    outcome = reproduce_paper(small_paper, order, jobs=1, out=tmp_path, quiet=True)
    assert len(outcome.findings.numbers) == 2 * cells
    document: dict[str, Any] = json.loads(json.dumps(outcome.as_dict(), allow_nan=False))
    last = document["verdicts"][-1]
    assert last["verdict"] == "not judged"
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "Not judged" in report
    assert "no interval" in report


def test_nothing_finished_is_said_and_nothing_written(
    small_paper: Paper, order: Order, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("driftwise.experiments.running.warm_up", interrupted)
    (tmp_path / "numbers.csv").write_text("from an earlier run")
    outcome = reproduce_paper(small_paper, order, jobs=1, out=tmp_path, quiet=True)
    assert outcome.is_interrupted
    assert outcome.files == {}
    assert "nothing was written" in outcome.as_text()
    assert {verdict.result.value for verdict in outcome.findings.verdicts} == {"not judged"}
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.csv"]
    json.dumps(outcome.as_dict(), allow_nan=False)


def test_one_replication_is_enough(small_paper: Paper, tmp_path: Path) -> None:
    order = Order(replications=1, seed=0, quick=True, command="driftwise reproduce --quick")
    outcome = reproduce_paper(small_paper, order, jobs=1, out=tmp_path, quiet=True)
    for verdict in outcome.findings.verdicts:
        assert "cannot take chance into account" in verdict.sentence
    assert pl.read_csv(tmp_path / "summary.csv")["regret_low_95"].is_null().all()
    assert "quick look" in (tmp_path / "report.html").read_text("utf-8")


def test_a_folder_that_cannot_be_written_is_found_out_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the work had begun")

    monkeypatch.setattr(importlib.import_module("driftwise.experiments.reproduce"), "run", never)
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError, match="out must be a folder that can be written, got"):
        reproduce(out=tmp_path / "taken")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"replications": 0}, "replications must be at least 1, got 0"),
        ({"jobs": 0}, "jobs must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"replications": 2.5}, r"replications must be a whole number, got 2\.5"),
    ],
)
def test_bad_input_is_named(wrong: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        reproduce(out=tmp_path / "out", **wrong)
    assert not (tmp_path / "out").exists()
