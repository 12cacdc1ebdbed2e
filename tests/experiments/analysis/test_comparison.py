"""What a run has left can be compared, also if an earlier version has written it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from driftwise.experiments import load_results
from driftwise.experiments.analysis import verdicts
from driftwise.experiments.analysis.comparison import compare
from driftwise.experiments.spec.rules import RULES

SAMPLE = Path(__file__).parent / "samples" / "results-0.1.0.parquet"


def test_results_of_the_first_version_are_read() -> None:
    numbers, (origin,) = load_results(SAMPLE)
    assert origin.version == "0.1.0"
    experiment = origin.experiment
    assert experiment.contestants == ("SW-UCB", "Uniform")
    assert experiment.scenario_seed is None
    (standings,), best = compare(numbers, [origin])
    assert standings.key == ("Sinusoid", 60)
    assert standings.replications == 2
    finals = numbers.filter(pl.col("round") == 60).group_by("policy").agg(pl.col("regret").mean())
    measured = dict(finals.iter_rows())
    assert {row.policy: row.regret.value for row in standings.standings} == pytest.approx(
        {policy: measured[policy] for policy in ("SW-UCB", "Uniform")}
    )
    cheapest = min((10, 30), key=lambda window: measured[f"best window window={window}"])
    assert best == {("Sinusoid", 60): {"best window": f"window = {cheapest}"}}


def test_a_round_that_nothing_reaches() -> None:
    numbers, origins = load_results(SAMPLE)
    with pytest.raises(ValueError, match="that is 61 rounds long"):
        compare(numbers, origins, round_=61)


def test_every_rule_of_a_claim_is_applied() -> None:
    assert verdicts._DECIDE.keys() == RULES.keys()
