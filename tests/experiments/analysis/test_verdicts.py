from __future__ import annotations

import pytest

from driftwise.experiments import Experiment, find_experiment
from driftwise.experiments.analysis.bootstrap import Estimate
from driftwise.experiments.analysis.duel import Duel
from driftwise.experiments.analysis.verdicts import (
    Evidence,
    Result,
    Verdict,
    decide,
    result_of_slope,
)

FIGURE_1, FIGURE_2 = (find_experiment(name) for name in ("paper-figure-1", "paper-figure-2"))
SURE = Estimate(0.3, 0.29, 0.31)


def evidence(
    experiment: Experiment,
    *,
    overall: Estimate = SURE,
    ratios: tuple[Estimate, ...] = (SURE, SURE),
    slopes: tuple[Estimate | None, ...] = (SURE, SURE),
    replications: int = 9,
) -> Evidence:
    first, second = experiment.contestants
    counts = (replications, replications)
    return Evidence(
        Duel(first, second, (100, 200), counts, ratios, overall),
        {first: slopes[0], second: slopes[1]},
        {"BOB": 5 / 6, "SW-UCB": 1.0, "EXP3.S": 2 / 3},
    )


def judge(experiment: Experiment, known: Evidence | None) -> list[Verdict]:
    return [decide(experiment, claim, known) for claim in experiment.claims]


def share(overall: Estimate, *ratios: Estimate) -> Verdict:
    (verdict,) = judge(FIGURE_1, evidence(FIGURE_1, overall=overall, ratios=ratios or (SURE, SURE)))
    return verdict


def much_smaller(overall: Estimate, *ratios: Estimate) -> Verdict:
    return judge(FIGURE_2, evidence(FIGURE_2, overall=overall, ratios=ratios))[0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.10, 0.15, Result.HOLDS),  # the ends belong to the range
        (0.25, 0.30, Result.HOLDS),
        (0.10, 0.30, Result.HOLDS),
        (0.18, 0.22, Result.HOLDS),
        (0.10, 0.1499, Result.IN_PART),
        (0.2501, 0.30, Result.IN_PART),
    ],
)
def test_about_a_fifth(low: float, high: float, expected: Result) -> None:
    assert share(Estimate((low + high) / 2, low, high)).result is expected


@pytest.mark.parametrize(("high", "expected"), [(0.999, Result.IN_PART), (1.0, Result.FAILS)])
def test_less_regret_must_be_sure_at_every_horizon(high: float, expected: Result) -> None:
    overall = Estimate(0.8, 0.7, 0.9)
    assert share(overall, SURE, Estimate(0.9, 0.8, high)).result is expected


def test_which_way_a_share_is_off_is_said() -> None:
    assert "smaller than the paper says" in share(Estimate(0.1, 0.09, 0.11)).sentence
    assert "larger than the paper says" in share(Estimate(0.4, 0.39, 0.41)).sentence


@pytest.mark.parametrize(
    ("ratio_high", "overall_high", "expected"),
    [
        (0.499, 0.45, Result.HOLDS),
        (0.500, 0.45, Result.IN_PART),
        (1.200, 0.99, Result.IN_PART),
        (1.200, 1.00, Result.FAILS),
    ],
)
def test_much_smaller(ratio_high: float, overall_high: float, expected: Result) -> None:
    overall = Estimate(0.4, 0.3, overall_high)
    assert much_smaller(overall, SURE, Estimate(0.4, 0.3, ratio_high)).result is expected


@pytest.mark.parametrize(
    ("slope", "expected"),
    [
        (Estimate(0.75, 0.5, 1.0), Result.HOLDS),  # the whole tolerance may be used
        (Estimate(0.65, 0.49, 0.7), Result.IN_PART),
        (Estimate(0.75, 0.7, 1.01), Result.IN_PART),  # below the limit, but not surely
        (Estimate(0.1, 0.1, 0.1), Result.IN_PART),  # an upper bound is respected
        (Estimate(1.05, 0.99, 1.1), Result.IN_PART),  # above the limit, but not surely
        (Estimate(1.05, 1.0, 1.1), Result.FAILS),
        (Estimate(0.75), Result.HOLDS),
    ],
)
def test_slope(slope: Estimate, expected: Result) -> None:
    assert result_of_slope(slope, exponent=0.75, tolerance=0.25) is expected


@pytest.mark.parametrize(
    ("bob", "window", "expected"),
    [
        (0.83, 1.0, Result.HOLDS),
        (0.83, 0.5, Result.IN_PART),
        (0.5, 0.5, Result.IN_PART),
        (0.83, 1.5, Result.IN_PART),
        (0.5, 1.5, Result.IN_PART),
        (1.5, 1.5, Result.FAILS),
    ],
)
def test_slopes_together(bob: float, window: float, expected: Result) -> None:
    slopes = tuple(Estimate(slope, slope - 0.01, slope + 0.01) for slope in (bob, window))
    verdict = judge(FIGURE_2, evidence(FIGURE_2, slopes=slopes))[1]
    assert verdict.result is expected
    assert f"BOB grows as T to the {bob:.3f}" in verdict.sentence
    assert "theory has 0.833" in verdict.sentence
    assert "theory has 1.000" in verdict.sentence


def test_one_replication_is_judged_with_a_warning() -> None:
    lone = Estimate(0.2)
    data = evidence(FIGURE_1, overall=lone, ratios=(lone, lone), replications=1)
    (verdict,) = judge(FIGURE_1, data)
    assert verdict.result is Result.HOLDS
    assert "cannot take chance into account" in verdict.sentence
    assert "[" not in verdict.sentence


def test_nothing_to_judge_by() -> None:
    assert {verdict.result for verdict in judge(FIGURE_2, None)} == {Result.UNKNOWN}
    no_slopes = evidence(FIGURE_2, slopes=(None, None))
    assert judge(FIGURE_2, no_slopes)[1].result is Result.UNKNOWN


def test_rules_are_given_in_words_with_their_numbers() -> None:
    (first,) = judge(FIGURE_1, evidence(FIGURE_1))
    second, third = judge(FIGURE_2, evidence(FIGURE_2))
    assert "meets [0.15, 0.25]" in first.rule
    assert "at most 50%" in second.rule
    assert "within 0.1 of theory's exponent" in third.rule
