"""Reading a person's records from a CSV or Parquet file, with errors that say where to look."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from ...core.base.optional_packages import needed_for
from ...core.base.validation import LARGEST_ACTION, LARGEST_REWARD

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Records", "read_records"]

Ragged = NDArray[np.float64] | list[NDArray[np.float64]]


class Records(NamedTuple):
    """What a file says, as arrays if all rounds have equally many actions, otherwise as lists."""

    decision_sets: Ragged  # (T, K, d), or T arrays (K_t, d)
    rewards: Ragged  # (T, K), or T arrays (K_t,)
    means: Ragged | None  # likewise; None if there is no such column


def read_records(path: Path) -> Records:
    """Read one row per action of a round: columns round, x0, x1, ..., reward and perhaps mean."""
    frame = _frame(path)
    features = _features(path, frame.columns)
    first_line = 2 if path.suffix.lower() == ".csv" else 1
    numbers = {name: _numbers(path, frame[name], first_line) for name in frame.columns}
    sizes = _sizes(path, numbers["round"], first_line)
    actions = np.stack([numbers[name] for name in features], axis=1)
    return Records(
        _by_round(actions, sizes),
        _by_round(numbers["reward"], sizes),
        _by_round(numbers["mean"], sizes) if "mean" in numbers else None,
    )


def _frame(path: Path) -> pl.DataFrame:
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise RuleValueError("path", "end in .csv or .parquet", path, str(path))
    if not path.is_file():
        raise FileNotFoundError(f"path must be a file that exists, got {path}")
    with needed_for("reading records from a file"):
        import polars as pl
    try:
        # As text, so that what is no number can be shown as it stands in the file.
        frame = pl.read_csv(path, infer_schema=False) if kind == ".csv" else pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise RuleValueError(
            str(path), f"be a {kind[1:]} file that can be read: {error}", None, ""
        ) from None
    if not len(frame):
        raise RuleValueError(str(path), "have at least one row of records", None, "none")
    return frame


def _features(path: Path, columns: Iterable[str]) -> list[str]:
    """Return the names of the features in order, or say which column is missing or unknown."""
    given = set(columns)
    count = sum(re.fullmatch(r"x\d+", name) is not None for name in given)
    features = [f"x{i}" for i in range(max(1, count))]
    wanted = {"round", *features, "reward"}
    rule = f"{path} must have the columns round, x0, x1, ..., reward and, if known, mean"
    if missing := sorted(wanted - given):
        raise ValueError(f"{rule}, got none named {missing[0]}")
    if unknown := sorted(given - wanted - {"mean"}):
        raise ValueError(f"{rule}, got also {unknown[0]!r}")
    return features


def _numbers(path: Path, column: pl.Series, first_line: int) -> NDArray[np.float64]:
    import polars as pl

    if column.dtype == pl.String:
        read = column.str.strip_chars().cast(pl.Float64, strict=False)
    elif column.dtype.is_numeric():
        read = column.cast(pl.Float64)
    else:
        raise ValueError(f"{path}, column {column.name} must hold numbers, got {column.dtype}")
    values = read.fill_null(np.nan).to_numpy()
    largest = LARGEST_ACTION if column.name.startswith("x") else LARGEST_REWARD
    wrong = ~(np.abs(values) <= largest)
    if wrong.any():
        row = int(wrong.argmax())
        came = column[row]
        where = _where(path, row, first_line)
        raise ValueError(
            f"{where}, column {column.name} must be a number of magnitude up to {largest:g}, "
            f"got {'nothing' if came is None else repr(came)}"
        )
    return values


def _sizes(path: Path, rounds: NDArray[np.float64], first_line: int) -> NDArray[np.int64]:
    """Return the number of rows of each round, or say where the numbering goes wrong."""
    steps = np.diff(rounds, prepend=0.0)
    wrong = (steps != 0.0) & (steps != 1.0)
    wrong[0] = steps[0] != 1.0
    if wrong.any():
        row = int(wrong.argmax())
        before = f" after {rounds[row - 1]:g}" if row else " at the start"
        where = _where(path, row, first_line)
        raise ValueError(
            f"{where}, column round must go 1, 2, 3, ... with the rows of a round together, "
            f"got {rounds[row]:g}{before}"
        )
    sizes = np.bincount(rounds.astype(np.int64) - 1)
    if sizes.max() == 1:
        raise RuleValueError(
            str(path),
            "have a row for each action of a round, also for those that nobody chose",
            None,
            "one row in every round, which leaves nothing to choose",
        )
    return sizes


def _where(path: Path, row: int, first_line: int) -> str:
    return f"{path}, {'line' if first_line == 2 else 'row'} {row + first_line}"


def _by_round(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> Ragged:
    if (sizes == sizes[0]).all():
        return values.reshape(len(sizes), sizes[0], *values.shape[1:])
    return np.split(values, np.cumsum(sizes)[:-1])
