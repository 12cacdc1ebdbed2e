"""Whole runs, from the file to the report."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from driftwise.cli import run as call
from driftwise.experiments import Outcome, load_results, parse_experiment, reproduce, run
from driftwise.experiments import run as run_function
from driftwise.experiments.spec.builtin import builtin_names, text_of
from driftwise.experiments.spec.schema import schema
from driftwise.workers.progress import Silence

CLAIMS = """
[[claims]]
title = "A against B"
quote = "about a fifth"
rule = "share"
low = 0.15
high = 0.25
"""


class StopsAfter(Silence):
    """Progress that presses Ctrl-C after some cells."""

    def __init__(self, cells: int) -> None:
        self.left = cells

    def advance(self, rounds: int) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1


def interrupt(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    import sys

    module = sys.modules[run_function.__module__]
    monkeypatch.setattr(module, "show_progress", lambda total, quiet: StopsAfter(after))


@pytest.fixture(scope="module")
def outcome(small_text: str, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    experiment = parse_experiment(small_text + CLAIMS, "small")
    return run(experiment, out=tmp_path_factory.mktemp("small"), quiet=True)


def test_an_outcome_at_a_glance(outcome: Outcome) -> None:
    """Not all frames and builders, but verdicts, the report and the best policies."""
    (verdict,) = outcome.findings[0].verdicts
    report = str(outcome.files["report.html"])
    title, *lines = repr(outcome).splitlines()
    assert title == outcome.title
    assert lines[0].split(maxsplit=1) == [verdict.result.value, verdict.claim.title]
    assert lines[1].split(maxsplit=1) == ["report", report]
    page = outcome._repr_html_()
    for standings in outcome.findings[0].standings:
        best = standings.standings[0]
        words = [standings.world, f"{standings.horizon:,}", best.policy]
        assert any(line.split()[:3] == words for line in lines)
        assert "".join(f"<td>{word}</td>" for word in words) in page
    assert repr(outcome.findings[0]).startswith("<Findings of small: ")


def test_a_run_leaves_its_files(outcome: Outcome) -> None:
    folder = outcome.files["report.html"].parent
    assert next(iter(outcome.files)) == "report.html"
    assert {"results.parquet", "numbers.csv", "summary.csv"} <= set(outcome.files)
    assert len(pl.read_csv(folder / "numbers.csv")) == 2 * 4 * 2 * 4
    assert sum(name.endswith(".svg") for name in outcome.files) >= 4
    on_disk = {path.name for path in folder.iterdir()}
    assert on_disk == {path.name for path in outcome.files.values()} | {"cells"}
    assert not outcome.is_interrupted
    numbers, (origin,) = load_results(folder)
    assert origin.experiment == outcome.findings[0].experiment
    assert numbers.equals(outcome.findings[0].numbers)
    summary = pl.read_csv(folder / "summary.csv")
    assert len(summary) == 2 * 2 * 2
    windows = set(summary["best fixed window, in hindsight"])
    assert windows <= {"window = 20", "window = 200"}


def test_the_outcome_is_one_document(outcome: Outcome) -> None:
    document: dict[str, Any] = json.loads(json.dumps(outcome.as_dict(), allow_nan=False))
    (experiment,) = document["experiments"]
    assert experiment["name"] == "small"
    assert len(experiment["standings"]) == 8
    assert {row["world"] for row in experiment["slopes"]} == {"slow", "fast"}
    assert document["verdicts"][0]["rule"].startswith("Holds if")
    assert document["command"].startswith("driftwise run small --replications 4 --seed 7")
    text = outcome.as_text()
    assert text.startswith("1. A against B: ")
    assert str(outcome.files["report.html"]) in text


@pytest.mark.slow
def test_the_number_of_jobs_changes_no_file(
    outcome: Outcome, small_text: str, tmp_path: Path
) -> None:
    experiment = parse_experiment(small_text + CLAIMS, "small")
    again = run(experiment, out=tmp_path, jobs=2, quiet=True, command=outcome.command)
    for name, path in outcome.files.items():
        assert again.files[name].read_bytes() == path.read_bytes(), name


@pytest.mark.slow
def test_an_interrupted_run_is_written_and_goes_on(
    outcome: Outcome, small_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = parse_experiment(small_text + CLAIMS, "small")
    with monkeypatch.context() as patch:
        interrupt(patch, after=10)
        stopped = run(experiment, out=tmp_path, jobs=1, quiet=True, command=outcome.command)
    assert stopped.is_interrupted
    assert stopped.as_dict()["interrupted"] is True
    assert "the same command resumes from there" in stopped.as_text()
    assert "interrupted" in stopped.files["report.html"].read_text("utf-8").lower()
    finished = run(experiment, out=tmp_path, jobs=1, quiet=True, command=outcome.command)
    for name, path in outcome.files.items():
        assert finished.files[name].read_bytes() == path.read_bytes(), name


@pytest.mark.parametrize("after", [0, 1])
def test_nothing_finished_by_all_is_said(
    after: int, small_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch, after)
    outcome = run(parse_experiment(small_text, "small"), out=tmp_path, jobs=1, quiet=True)
    assert outcome.is_interrupted
    assert outcome.files == {}
    said = outcome.as_text()
    assert said.startswith("Interrupted before all policies had finished a replication.")
    assert f"the same command resumes from there: {outcome.command}" in said
    with pytest.raises(OSError, match=f"interrupted.*: driftwise run EXPERIMENT --out {tmp_path}"):
        load_results(tmp_path)
    json.dumps(outcome.as_dict(), allow_nan=False)


def test_reproduce_is_both_experiments_with_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real thing, on short horizons."""
    import driftwise.experiments.spec.builtin as builtin

    texts = {name: text_of(name) for name in ("paper-figure-1", "paper-figure-2")}
    short = {
        name: text.replace("[30000, 60000, 120000, 240000]", "[300, 600]")
        for name, text in texts.items()
    }
    assert short != texts
    monkeypatch.setattr(builtin, "text_of", short.__getitem__)
    outcome = reproduce(out=tmp_path, quick=True, quiet=True, replications=3)
    assert [verdict["experiment"] for verdict in outcome.as_dict()["verdicts"]] == [
        "paper-figure-1",
        "paper-figure-2",
        "paper-figure-2",
    ]
    assert (tmp_path / "report.html").exists()
    assert "paper-figure-2/results.parquet" in outcome.files
    report = (tmp_path / "report.html").read_text("utf-8")
    for verdict in (v for each in outcome.findings for v in each.verdicts):
        assert verdict.claim.title in report
    assert "Lemma 1 needs Assumption 1" in report


def test_a_folder_that_cannot_be_written_is_found_out_first(
    small_text: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="out must be a folder that can be written"):
        run(parse_experiment(small_text, "small"), out=tmp_path / "file", quiet=True)


def test_the_published_schema_is_current_and_knows_the_built_in_experiments() -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    published = Path(__file__).parents[2] / "docs" / "experiment.schema.json"
    assert json.loads(published.read_text("utf-8")) == schema(), (
        "run: driftwise experiments --schema > docs/experiment.schema.json"
    )
    validator.check_schema(schema())
    judge = validator(schema())
    for name in builtin_names():
        assert list(judge.iter_errors(tomllib.loads(text_of(name)))) == []


@pytest.mark.parametrize(
    "wrong",
    [
        'horizons = [10]\n[[worlds]]\nname = "Sinusoid"',
        'horizons = [10]\n[[worlds]]\nname = "Sinus"\n[[policies]]\nname = "UCB1"',
        'horizons = [10]\n[[worlds]]\nname = "Sinusoid"\nvaration = 1\n[[policies]]\nname = "UCB1"',
        'horizons = [0]\n[[worlds]]\nname = "Sinusoid"\n[[policies]]\nname = "UCB1"',
        'horizons = [10]\n[[worlds]]\nname = "Sinusoid"\n[[policies]]\nname = "UCB1"\ngrid = 3',
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(wrong: str) -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    assert list(validator(schema()).iter_errors(tomllib.loads(wrong)))
    with pytest.raises(ValueError):  # noqa: PT011  # the messages are tested elsewhere
        parse_experiment(wrong, "wrong")


def test_the_example_of_the_docs_is_sound() -> None:
    page = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text("utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    from driftwise.experiments.setup.building import Builder

    Builder(parse_experiment(text, "docs")).build_all()
    Builder(parse_experiment(text, "docs", quick=True)).build_all()


@pytest.mark.slow
def test_the_example_of_the_docs_prints_what_the_docs_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text("utf-8")
    (tmp_path / "mine.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    monkeypatch.setenv("COLUMNS", "80")
    assert call(["run", str(tmp_path / "mine.toml"), "--out", str(tmp_path), "--quiet"]) == 0
    shown = page.split("\n```\n")[2]
    assert capsys.readouterr().out.startswith(f"{shown}\n")
