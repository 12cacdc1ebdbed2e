"""Numbers side by side: the same bits interpreted and compiled, whatever the length of a row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numpy.typing import NDArray

from driftwise.core.compiler.abreast import (
    FOUR,
    Width,
    abreast,
    add_each,
    column,
    each,
    larger,
    put,
    roots,
    same,
    smaller,
    take,
)
from driftwise.core.compiler.compiled import inlined
from driftwise.core.compiler.elementary import exp, exponentials, log, logarithms

Array = NDArray[np.float64]


@inlined
def everything(first: int, width: Width, rows: Array, out: Array, total: Array) -> None:
    x, y = take(rows[0], first, width), take(rows[1], first, width)
    put(out[0], first, 2.0 * x - y / 3.0 + (y - 0.5) * x)
    put(out[1], first, x / (y * y + 1.0) - 1.0 / roots(0.1 + x * x))
    put(out[2], first, larger(smaller(x, y), smaller(x - 0.3, 0.2)))
    put(out[3], first, exponentials(x) + logarithms(y * y) * same(0.7, width))
    total[0] = add_each(total[0], x)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def run_abreast(rows: Array, out: Array, total: Array) -> None:
    abreast(everything, rows.shape[1], rows, out, total)


@pytest.mark.parametrize("n", [*range(1, 10), 14, 15, 16, 23])
def test_a_row_of_any_length_has_the_same_bits_interpreted_and_compiled(n: int) -> None:
    rows = np.random.default_rng(n).standard_normal((2, n))
    results = []
    for run in (run_abreast, run_abreast.py_func):
        out, total = np.full((5, n), np.nan), np.ones(1)
        run(rows, out, total)
        results.append((out.tobytes(), total.tobytes()))
    assert results[0] == results[1]
    # One number after the other, with nothing left out and nothing written beside.
    expected = np.full((5, n), np.nan)
    whole = 1.0
    for j, (x, y) in enumerate(rows.T.tolist()):
        expected[0, j] = 2.0 * x - y / 3.0 + (y - 0.5) * x
        expected[1, j] = x / (y * y + 1.0) - 1.0 / math.sqrt(0.1 + x * x)
        expected[2, j] = max(min(x, y), min(x - 0.3, 0.2))
        expected[3, j] = exp(x) + log(y * y) * 0.7
        whole += x
    assert results[0] == (expected.tobytes(), np.array([whole]).tobytes())


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def run_columns(rows: Array, first: int, i: int) -> tuple[float, ...]:
    return each(column(rows, first, i))


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_column_repeats_the_last_row(is_turned: bool) -> None:
    rows = np.arange(18.0).reshape(6, 3)
    if is_turned:  # columns are taken of any matrix, contiguous or not
        rows = np.asfortranarray(rows)
    for run in (run_columns, run_columns.py_func):
        assert run(rows, 0, 1) == (1.0, 4.0, 7.0, 10.0)
        assert run(rows, 4, 2) == (14.0, 17.0, 17.0, 17.0)
        assert run(rows[:1], 0, 0) == (0.0, 0.0, 0.0, 0.0)


def test_what_was_taken_stays_when_the_row_is_written() -> None:
    row = np.arange(6.0)
    taken = take(row, 1, FOUR)
    put(row, 0, same(9.0, FOUR))
    assert taken.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert row.tolist() == [9.0, 9.0, 9.0, 9.0, 4.0, 5.0]


def test_what_cannot_be_read_as_neighbours_is_refused() -> None:
    @njit  # type: ignore[untyped-decorator]  # numba has no types
    def first_four(row: Array) -> float:
        return add_each(0.0, take(row, 0, FOUR))

    @njit  # type: ignore[untyped-decorator]  # numba has no types
    def clear(row: Array) -> None:
        put(row, 0, same(0.0, FOUR))

    row = np.arange(5.0)
    assert first_four(row) == 6.0
    clear(row)
    assert row.tolist() == [0.0, 0.0, 0.0, 0.0, 4.0]
    row.flags.writeable = False
    assert first_four(row) == 0.0
    with pytest.raises(TypingError, match="that is writable"):
        clear(row)
    with pytest.raises(TypingError, match="in a contiguous row"):
        first_four(np.arange(10.0)[::2])
    for kind in (np.float32, np.int64):
        with pytest.raises(TypingError, match="must be floats in an array of 1 axes"):
            first_four(np.arange(5, dtype=kind))
        with pytest.raises(TypingError, match="must be floats in an array of 2 axes"):
            run_columns(np.ones((4, 2), dtype=kind), 0, 1)


def test_interpreted_all_neighbours_are_taken_at_once() -> None:
    calls: list[tuple[int, int]] = []
    abreast(lambda first, width: calls.append((first, len(width))), 14)
    assert calls == [(0, 14)]
