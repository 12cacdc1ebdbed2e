"""A person's own records: as arrays, as files, and with all that can be wrong in them."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.checks import check_world
from driftwise.worlds import Recorded

SETS = [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]
REWARDS = [[0.3, 0.6], [0.5], [0.2, 0.9], [0.4, 0.8]]
MEANS = [[0.3, 0.7], [0.5], [0.3, 0.7], [0.2, 0.7]]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    size=st.integers(1, 13),
    has_means=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_records_come_back_as_they_were(
    sizes: list[int], size: int, has_means: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    sets = [random.normal(size=(n, 3)) for n in sizes]
    rewards, means = ([random.normal(size=n) for n in sizes] for _ in range(2))
    world = Recorded(
        decision_sets=sets, rewards=rewards, means=means if has_means else None, noise=1.0
    )
    assert (world.horizon, world.n_arms, world.dimension) == (len(sizes), max(sizes), 3)
    t = 0
    for chunk in world.rounds(seed=seed, size=size):
        for row in range(len(chunk.means)):
            set_row = 0 if len(chunk.actions) == 1 else row
            n = chunk.sizes[set_row]
            assert n == sizes[t]
            assert np.array_equal(chunk.actions[set_row, :n], sets[t])
            assert np.array_equal(chunk.rewards[row, :n], rewards[t])
            assert np.array_equal(chunk.means[row, :n], (means if has_means else rewards)[t])
            assert not chunk.means[row, n:].any()
            t += 1
    assert t == len(sizes)


def test_the_public_check_passes() -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 6, 700)
    check_world(
        Recorded(
            decision_sets=[random.normal(size=(n, 2)) for n in sizes],
            rewards=[random.normal(size=n) for n in sizes],
        )
    )
    check_world(Recorded(decision_sets=np.eye(3), rewards=random.random((700, 3))))


def test_nothing_is_drawn_and_the_arrays_belong_to_the_reader() -> None:
    world = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    (one,), (other,) = world.rounds(seed=0, size=9), world.rounds(seed=1, size=9)
    for left, right in zip(one, other, strict=True):
        assert np.array_equal(left, right)
        assert left.flags.c_contiguous
        left.fill(99)
    (again,) = world.rounds(seed=0, size=9)
    assert np.array_equal(again.rewards, other.rewards)
    fixed = Recorded(decision_sets=np.eye(2), rewards=[[0.1, 0.2]])
    for array in next(fixed.rounds(seed=0, size=1)):
        array.fill(99)
    assert next(fixed.rounds(seed=0, size=1)).actions[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_later_edits_change_nothing() -> None:
    sets, rewards = np.stack([np.eye(2)] * 3), np.ones((3, 2))
    world = Recorded(decision_sets=sets, rewards=rewards)
    sets[:], rewards[:] = 7.0, 7.0
    (chunk,) = world.rounds(seed=0, size=3)
    assert chunk.rewards.max() == chunk.actions.max() == 1.0


def test_equal_decision_sets_count_as_fixed() -> None:
    world = Recorded(decision_sets=[np.eye(2)] * 3, rewards=np.ones((3, 2)))
    assert world.decision_set is not None
    assert world.decision_set.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert Recorded(decision_sets=SETS, rewards=REWARDS).decision_set is None


def test_the_noise_is_half_of_a_range_unless_told() -> None:
    assert Recorded(decision_sets=SETS, rewards=REWARDS).noise == pytest.approx(0.35)
    with_means = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    assert with_means.noise == pytest.approx(0.15)  # from -0.1 to 0.2
    assert Recorded(decision_sets=SETS, rewards=REWARDS, noise=0.5).noise == 0.5


def test_what_moved_is_measured_on_the_means() -> None:
    rewards = [[0.0, 0.0], [3.0, 4.0], [3.0, 4.0], [3.0, 5.0]]
    arms = Recorded(decision_sets=np.eye(2), rewards=np.ones((4, 2)), means=rewards)
    assert arms.realised_variation() == (6.0, 5.0)
    assert arms.number_of_changes() == 2
    skew = Recorded(decision_sets=[[1.0, 1.0], [1.0, 0.0]], rewards=rewards, means=rewards)
    assert math.isnan(skew.realised_variation().l2)  # nothing says that there is a parameter
    assert skew.realised_variation().arms == 5.0
    assert (arms.satisfies_assumption_one(), skew.satisfies_assumption_one()) == (True, False)


def test_without_means_nobody_knows_what_moved() -> None:
    moved = Recorded(decision_sets=np.eye(2), rewards=[[0.0, 1.0], [1.0, 0.0]]).realised_variation()
    assert math.isnan(moved.l2)
    assert moved.arms is None


def test_changes_count_where_two_rounds_can_be_compared() -> None:
    world = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    assert world.number_of_changes() == 1  # the last round; the set of the one before it is new
    assert math.isnan(world.realised_variation().l2)
    assert world.realised_variation().arms is None
    assert not world.satisfies_assumption_one()
    for ask in (world.number_of_changes, world.realised_variation):
        with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
            ask(seed=-1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"decision_sets": SETS[:3]},
            "decision_sets must hold one set for each of the 4 rounds of rewards, got 3",
        ),
        (
            {"rewards": [[0.3, 0.6], [0.5, 1.0], *REWARDS[2:]]},
            "rewards[1] must have shape (1), got (2,)",
        ),
        (
            {"rewards": [[0.3, np.nan], *REWARDS[1:]]},
            "rewards[0] must be finite, got nan at index (1,)",
        ),
        ({"means": MEANS[:2]}, "means must hold 4 rounds, as rewards do, got 2"),
        (
            {"decision_sets": np.eye(2), "rewards": np.ones((4, 3))},
            "rewards must have shape (4, 2), got (4, 3)",
        ),
        (
            {"decision_sets": [*SETS[:3], [[1.0]]]},
            "decision_sets[3] must have shape (any, 2), got (1, 1)",
        ),
        ({"noise": -1.0}, "noise must be at least 0, got -1.0"),
    ],
)
def test_wrong_arrays(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"decision_sets": SETS, "rewards": REWARDS}
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Recorded(**given | arguments)
    assert str(error.value) == message


def test_what_is_no_array_at_all() -> None:
    with pytest.raises(TypeError, match=r"^rewards must be an array of numbers, got float$"):
        Recorded(decision_sets=np.eye(2), rewards=0.5)


# ---------------------------------------------------------------- files

CSV = """\
round,x0,x1,reward,mean
1,1.0,0.0,0.3,0.3
1,0.0,1.0,0.6,0.7
2,0.5,0.5,0.5,0.5
3,1.0,0.0,0.2,0.3
3,0.0,1.0,0.9,0.7
4,1.0,0.0,0.4,0.2
4,0.0,1.0,0.8,0.7
"""


def assert_same(one: Recorded, other: Recorded) -> None:
    (left,), (right,) = one.rounds(seed=0, size=99), other.rounds(seed=0, size=99)
    for a, b in zip(left, right, strict=True):
        assert np.array_equal(a, b)
    assert one.noise == other.noise


def written(folder: Path, text: str, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_is_the_same_as_its_arrays(tmp_path: Path) -> None:
    arrays = Recorded(decision_sets=SETS, rewards=REWARDS, means=MEANS)
    path = written(tmp_path, CSV)
    assert_same(Recorded.from_file(path), arrays)
    assert_same(Recorded.from_file(str(path)), arrays)
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "log.parquet")
    assert_same(Recorded.from_file(tmp_path / "log.parquet"), arrays)
    frame.select("mean", "reward", "x1", "x0", "round").write_csv(tmp_path / "other.CSV")
    assert_same(Recorded.from_file(tmp_path / "other.CSV"), arrays)
    without = Recorded(decision_sets=SETS, rewards=REWARDS, noise=0.2)
    frame.drop("mean").write_parquet(tmp_path / "short.parquet")
    assert_same(Recorded.from_file(tmp_path / "short.parquet", noise=0.2), without)


def test_many_features_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(6, 12))
    frame = pl.DataFrame({f"x{i}": features[:, i] for i in range(12)}).with_columns(
        round=pl.Series([1, 1, 2, 2, 3, 3]), reward=pl.Series(np.arange(6.0))
    )
    frame.write_parquet(tmp_path / "log.parquet")
    (chunk,) = Recorded.from_file(tmp_path / "log.parquet").rounds(seed=0, size=3)
    assert np.array_equal(chunk.actions.reshape(6, 12), features)
    assert chunk.rewards.ravel().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def edited(line: int, text: str) -> str:
    lines = CSV.splitlines()
    lines[line - 1] = text
    return "\n".join(lines) + "\n"


COLUMNS = "must have the columns round, x0, x1, ..., reward and, if known, mean"
NUMBER = "must be a number of magnitude up to 1e+100"
ORDER = "column round must go 1, 2, 3, ... with the rows of a round together"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (edited(1, "round,x0,x1,rewards,mean"), f"log.csv {COLUMNS}, got none named reward"),
        (edited(1, "round,x0,x2,reward,mean"), f"log.csv {COLUMNS}, got none named x1"),
        (edited(1, "t,x0,x1,reward,mean"), f"log.csv {COLUMNS}, got none named round"),
        (edited(1, "round,x0,x1,reward,average"), f"log.csv {COLUMNS}, got also 'average'"),
        ("round,reward\n1,2\n", f"log.csv {COLUMNS}, got none named x0"),
        (
            edited(4, "2,0.5,half,0.5,0.5"),
            "log.csv, line 4, column x1 must be a number of magnitude up to 1e+30, got 'half'",
        ),
        (
            edited(4, "2,0.5,1e31,0.5,0.5"),
            "log.csv, line 4, column x1 must be a number of magnitude up to 1e+30, got '1e31'",
        ),
        (edited(4, "2,0,1,1e101,0"), f"log.csv, line 4, column reward {NUMBER}, got '1e101'"),
        (edited(4, "2,0.5,0.5,,0.5"), f"log.csv, line 4, column reward {NUMBER}, got nothing"),
        (edited(6, "3,0,1,inf,0.7"), f"log.csv, line 6, column reward {NUMBER}, got 'inf'"),
        (edited(6, "3,0,1,1,NaN"), f"log.csv, line 6, column mean {NUMBER}, got 'NaN'"),
        (edited(2, "2,1,0,0.3,0.3"), f"log.csv, line 2, {ORDER}, got 2 at the start"),
        (edited(2, "0,1,0,0.3,0.3"), f"log.csv, line 2, {ORDER}, got 0 at the start"),
        (edited(5, "4,1,0,0.2,0.3"), f"log.csv, line 5, {ORDER}, got 4 after 2"),
        (edited(6, "1,0,1,0.9,0.7"), f"log.csv, line 6, {ORDER}, got 1 after 3"),
        (edited(4, "1.5,1,1,0.5,0.5"), f"log.csv, line 4, {ORDER}, got 1.5 after 1"),
        (CSV.splitlines()[0], "log.csv must have at least one row of records, got none"),
        (
            "round,x0,reward\n1,1,0.3\n2,1,0.5\n",
            "log.csv must have a row for each action of a round, also for those that nobody chose, "
            "got one row in every round, which leaves nothing to choose",
        ),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Recorded.from_file(path)
    assert str(error.value) == f"{tmp_path}/{message}"


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"log\.csv must be a csv file that can be read: "):
        Recorded.from_file(written(tmp_path, ""))
    with pytest.raises(ValueError, match=r"log\.parquet must be a parquet file that can be read: "):
        Recorded.from_file(written(tmp_path, "nonsense", "log.parquet"))
    with pytest.raises(ValueError, match=r"^path must end in \.csv or \.parquet, got .*log\.json$"):
        Recorded.from_file(written(tmp_path, "{}", "log.json"))
    with pytest.raises(
        FileNotFoundError, match=r"^path must be a file that exists, got .*no\.csv$"
    ):
        Recorded.from_file(tmp_path / "no.csv")


def test_a_parquet_file_says_the_row(tmp_path: Path) -> None:
    frame = pl.DataFrame({"round": [1, 1], "x0": [0.5, None], "reward": [1.0, 2.0]})
    frame.write_parquet(tmp_path / "log.parquet")
    with pytest.raises(
        ValueError, match=r"log\.parquet, row 2, column x0 must be a .*got nothing$"
    ):
        Recorded.from_file(tmp_path / "log.parquet")
    frame.with_columns(x0=pl.Series([True, False])).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(
        ValueError, match=r"log\.parquet, column x0 must hold numbers, got Boolean$"
    ):
        Recorded.from_file(tmp_path / "log.parquet")


def test_without_polars_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"needs polars: pip install 'driftwise\[experiments\]'$"):
        Recorded.from_file(written(tmp_path, CSV))
