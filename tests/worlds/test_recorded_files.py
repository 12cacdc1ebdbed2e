"""A person's own records as files, and all that can be wrong in them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from driftwise.worlds import Recorded
from tests.worlds.records import MEANS, REWARDS, SETS

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
