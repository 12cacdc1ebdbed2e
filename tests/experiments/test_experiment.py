from __future__ import annotations

import pytest

from driftwise.experiments.experiment import load_paper
from driftwise.experiments.tuning import list_settings
from driftwise.experiments.verdicts import RULES

FIGURE_1, FIGURE_2 = load_paper().experiments


def test_horizons_are_the_papers() -> None:
    assert FIGURE_1.horizons == tuple(range(30_000, 240_001, 30_000))
    assert FIGURE_2.horizons == FIGURE_1.horizons
    for experiment in load_paper(quick=True).experiments:
        assert set(experiment.horizons) < set(FIGURE_1.horizons)


def test_policies_are_tuned_as_the_paper_does() -> None:
    assert FIGURE_1.policy("SW-UCB", 30_000).window == 1532
    assert FIGURE_2.policy("SW-UCB", 30_000).window == 1532  # the variation is not known
    assert FIGURE_2.policy("BOB", 30_000).block_length == 274
    assert FIGURE_1.policy("EXP3.S", 30_000).mixing == pytest.approx(0.09979, abs=1e-5)
    for name in ("action_norm", "parameter_norm", "ridge"):
        assert getattr(FIGURE_1.policy("SW-UCB", 30_000), name) == 1.0
    assert FIGURE_1.policy("SW-UCB", 30_000).confidence == 1 / 30_000


def test_theory_gives_the_slopes() -> None:
    assert FIGURE_1.exponent("SW-UCB") == pytest.approx(2 / 3)
    assert FIGURE_1.exponent("EXP3.S") == pytest.approx(2 / 3)
    assert FIGURE_2.exponent("SW-UCB") == pytest.approx(1.0)
    assert FIGURE_2.exponent("BOB") == pytest.approx(5 / 6)


def test_seeds_have_names() -> None:
    seeds = {
        experiment.seed(seed, horizon, replication)
        for experiment in (FIGURE_1, FIGURE_2)
        for seed in (0, 1)
        for horizon in (10, 20)
        for replication in (0, 1)
    }
    assert len(seeds) == 16
    assert FIGURE_1.seed(0, 30_000, 3) == FIGURE_1.seed(0, 30_000, 3)


def test_every_claim_has_a_rule() -> None:
    claims = [claim for experiment in (FIGURE_1, FIGURE_2) for claim in experiment.claims]
    assert len(claims) == 3
    assert {claim.rule for claim in claims} == set(RULES)


def test_settings_state_nominal_and_realised_variation() -> None:
    row = list_settings(FIGURE_1)[0]
    assert row["B_T, nominal"] == "1.00"
    assert row["realised, Euclidean"] == "4.24"  # 3 sqrt(2), not sqrt(2)
    assert row["realised, largest arm"] == "3.00"
    assert row["SW-UCB: radius"] == "1.5940"
    assert list_settings(FIGURE_2)[0]["BOB: windows"] == "1 2 6 16 42 107 274"
