from __future__ import annotations

import math
from functools import reduce
from operator import add

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.core.randomness.seeds import generator
from driftwise.experiments.analysis.bootstrap import RESAMPLES, resample
from driftwise.experiments.analysis.curves import curves_of, growth_of
from driftwise.experiments.analysis.duel import duel
from driftwise.experiments.analysis.standings import regret_at, stand
from driftwise.experiments.analysis.summary import summarise
from driftwise.experiments.execution.cells import COLUMNS


def numbers(
    regrets: dict[str, list[float]], *, horizon: int = 100, world: str = "w"
) -> pl.DataFrame:
    """Return runs whose regret grows evenly up to these ends, seen at half time and at the end."""
    rows = [
        (world, policy, horizon, replication, 0, at, end * at / horizon, 0.0)
        for policy, ends in regrets.items()
        for replication, end in enumerate(ends)
        for at in (horizon // 2, horizon)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


THREE = {"a": [10.0, 20.0, 30.0], "b": [11.0, 21.0, 31.0], "c": [10.0, 5.0, 40.0]}


@pytest.mark.parametrize(("n_policies", "n"), [(1, 100), (2, 3), (2, 100), (7, 40)])
def test_a_resample_adds_up_replications_one_by_one(n_policies: int, n: int) -> None:
    regrets = np.random.default_rng(0).uniform(0.0, 1e4, (n_policies, n))
    means = resample(regrets, 5, "name")
    assert means.shape == (n_policies, 1 + RESAMPLES)
    assert means[:, 0] == pytest.approx(regrets.mean(axis=1))
    # To the bit, and so whoever else is in the table.
    draws = generator(5, "bootstrap/name").integers(n, size=(RESAMPLES, n))
    for column in (0, 1, 99, 100, RESAMPLES - 1):
        # Not `sum`, which newer versions of Python correct for rounding.
        totals = [reduce(add, own[draws[column]].tolist()) for own in regrets]
        assert means[:, 1 + column].tolist() == [total / n for total in totals]


def test_means_places_and_wins() -> None:
    found = stand(numbers(THREE), "w", 100)
    assert [row.policy for row in found.standings] == ["c", "a", "b"]
    assert found.of("a").regret.value == 20.0
    assert found.of("a").difference.value == pytest.approx(20.0 - 55.0 / 3.0)
    # a ties with c in the first replication, is second in the next, first in the last.
    assert found.of("a").rank.value == pytest.approx((1.5 + 2 + 1) / 3)
    assert found.of("a").chance_best.value == pytest.approx((0.5 + 0 + 1) / 3)
    assert found.of("b").chance_best.value == 0.0
    assert sum(row.chance_best.value for row in found.standings) == pytest.approx(1.0)


def test_a_small_paired_difference_is_seen() -> None:
    """b is behind a by 1 in every replication, though replications differ by 20."""
    found = stand(numbers({name: THREE[name] for name in "ab"}), "w", 100)
    assert found.of("b").difference.span == pytest.approx((1.0, 1.0))
    assert found.of("b").regret.span[1] - found.of("b").regret.span[0] > 5.0


def test_a_comparator_is_the_best_of_its_policies() -> None:
    table = {**THREE, "w=1": [4.0, 4.0, 4.0], "w=2": [2.0, 2.0, 9.5]}
    found = stand(numbers(table), "w", 100, comparators={"best window": ["w=1", "w=2"]})
    assert [row.policy for row in found.standings] == ["c", "a", "b"]
    assert found.best_of == {"best window": "w=1"}
    assert found.of("a").ratios["best window"].value == pytest.approx(5.0)
    # The interval is that of the pick, taken as given.
    fixed = stand(numbers(table), "w", 100, comparators={"best window": ["w=1"], "": ["w=2"]})
    assert found.of("a").ratios["best window"] == fixed.of("a").ratios["best window"]


def test_a_yardstick_without_regret_has_no_ratio() -> None:
    table = {"a": [1.0, 2.0], "w": [0.0, 0.0]}
    found = stand(numbers(table), "w", 100, comparators={"best": ["w"]})
    assert math.isnan(found.of("a").ratios["best"].value)
    (row,) = summarise([found]).to_dicts()
    assert row["over best"] is None


def test_regret_at_any_round_lies_between_checkpoints() -> None:
    assert regret_at(numbers(THREE), "w", 100, 25)["a"].tolist() == [2.5, 5.0, 7.5]
    assert stand(numbers(THREE), "w", 100, round_=50).of("a").regret.value == 10.0
    for wrong in (0, 101):
        with pytest.raises(ValueError, match=f"round must be in 1 to 100, got {wrong}"):
            regret_at(numbers(THREE), "w", 100, wrong)


def test_only_replications_that_all_have_finished_count() -> None:
    uneven = numbers({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]})
    assert stand(uneven, "w", 100).replications == 2
    assert stand(uneven, "w", 100).of("a").regret.value == 1.5
    with pytest.raises(ValueError, match="no replication of w at T=7"):
        stand(uneven, "w", 7)


def test_one_replication_has_no_interval() -> None:
    found = stand(numbers({"a": [1.0], "b": [2.0]}), "w", 100)
    assert not any(row.regret.has_interval for row in found.standings)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.floats(0.1, 100.0)] * 3), min_size=2, max_size=6))
def test_intervals_hold_the_mean_and_shares_add_up(runs: list[tuple[float, ...]]) -> None:
    table = {name: [run[i] for run in runs] for i, name in enumerate("abc")}
    found = stand(numbers(table), "w", 100)
    for row in found.standings:
        low, high = row.regret.span
        assert low - 1e-9 <= row.regret.value <= high + 1e-9
        assert row.difference.value >= 0.0
        assert 1.0 <= row.rank.value <= 3.0
    assert sum(row.rank.value for row in found.standings) == pytest.approx(6.0)
    assert sum(row.chance_best.value for row in found.standings) == pytest.approx(1.0)


def test_the_interval_covers_as_often_as_it_says() -> None:
    """In 200 experiments with known means, the 95% interval of a difference holds the truth."""
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        shared = random.normal(100.0, 20.0, 30)
        table = {"a": shared + random.normal(0, 2, 30), "b": shared + 3.0 + random.normal(0, 2, 30)}
        rows = numbers({name: values.tolist() for name, values in table.items()})
        low, high = stand(rows, "w", 100).of("b").difference.span
        hits += low <= 3.0 <= high
    assert 178 <= hits <= 198  # a percentile bootstrap of 30 covers a little less than 95%


def test_curves_and_growth() -> None:
    rows = pl.concat([numbers({"a": [h**0.5, h**0.5 * 1.2]}, horizon=h) for h in (100, 400, 1600)])
    (curve,) = curves_of(rows, "w", 400)
    assert curve.rounds.tolist() == [200, 400]
    assert curve.mean.tolist() == pytest.approx([11.0, 22.0])
    assert (curve.low <= curve.mean).all()
    assert (curve.high >= curve.mean).all()
    (grown,) = growth_of(rows, "w", ["a", "absent"])
    assert grown.slope is not None
    assert grown.slope.value == pytest.approx(0.5)
    (flat,) = growth_of(numbers({"a": [1.0, 2.0]}), "w", ["a"])
    assert flat.slope is None


def test_curves_are_of_the_replications_that_all_have_finished() -> None:
    first, second = curves_of(numbers({"a": [1.0, 2.0, 9.0], "b": [1.0, 2.0]}), "w", 100)
    assert first.mean.tolist() == second.mean.tolist() == [0.75, 1.5]


def test_a_duel_is_paired_and_takes_the_geometric_mean() -> None:
    rows = pl.concat(
        [
            numbers({"a": [1.0, 2.0, 9.0], "b": [2.0, 4.0, 18.0]}, horizon=100),
            numbers({"a": [2.0, 4.0, 6.0], "b": [1.0, 2.0, 3.0]}, horizon=200),
        ]
    )
    found = duel(rows, "w", "a", "b")
    assert [ratio.span for ratio in found.ratios] == [(0.5, 0.5), (2.0, 2.0)]
    assert found.overall.value == pytest.approx(1.0)
    assert found.replications == (3, 3)
    assert found.has_intervals


def test_the_summary_has_a_row_for_each_policy() -> None:
    found = stand(numbers({**THREE, "x": [1.0, 1.0, 1.0]}), "w", 100, comparators={"best": ["x"]})
    table = summarise([found])
    assert table["policy"].to_list() == ["c", "a", "b"]
    assert table["over best"].to_list() == pytest.approx([55 / 3, 20.0, 21.0])
    assert (table["regret (low 95%)"] <= table["regret"]).all()


def test_a_yardstick_may_be_picked_on_other_replications() -> None:
    # Even replications pick w=1 and odd ones w=2: each is scored where the other was picked.
    table = {"a": [6.0, 6.0, 6.0, 6.0], "w=1": [1.0, 9.0, 1.0, 9.0], "w=2": [4.0, 2.0, 4.0, 2.0]}
    both = {"best": ["w=1", "w=2"]}
    found = stand(numbers(table), "w", 100, comparators=both, held_out={"best"})
    assert found.of("a").ratios["best"].value == pytest.approx(6.0 / ((9 + 9 + 4 + 4) / 4))
    assert found.best_of == {"best": "w=2"}
    same = stand(numbers(table), "w", 100, comparators=both)
    assert same.of("a").ratios["best"].value == pytest.approx(6.0 / 3.0)
    once = stand(
        numbers({name: each[:1] for name, each in table.items()}),
        "w",
        100,
        comparators=both,
        held_out={"best"},
    )
    assert once.of("a").ratios["best"].value == 6.0
