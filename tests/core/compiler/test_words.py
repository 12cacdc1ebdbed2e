"""Tuples in rows of words: the same ones come back, interpreted and compiled."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from driftwise.core.compiler.words import count_words, read_words, write_words


class Inner(NamedTuple):
    is_so: bool
    size: float


class Outer(NamedTuple):
    arm: int
    inner: Inner
    both: Any


RECORD = (Outer(-3, Inner(True, math.pi), (Inner(False, -0.0), 2**62)), math.nan)
LIKE = (Outer(0, Inner(False, 1.0), (Inner(True, 1.0), 0)), 1.0)


def through(words: Any, record: Any, like: Any) -> Any:
    write_words(words[1], record)
    return count_words(record), read_words(words[1], like)


@pytest.mark.parametrize("function", [through, njit(through)], ids=["interpreted", "compiled"])
def test_a_record_comes_back_as_it_was(function: Any) -> None:
    words = np.full((3, 7), 9, np.int64)
    count, found = function(words, RECORD, LIKE)
    assert count == 7
    # As text: not a number differs from itself, and 0 equals -0.
    assert repr(found) == repr(RECORD)
    assert (words[[0, 2]] == 9).all()


def test_both_speeds_write_the_same_words() -> None:
    one, other = np.zeros((2, 7), np.int64), np.zeros((2, 7), np.int64)
    through(one, RECORD, LIKE)
    njit(through)(other, RECORD, LIKE)
    assert one.tobytes() == other.tobytes()


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(TypingError, match="a record must consist of numbers and tuples, got array"):
        njit(through)(np.zeros((2, 7), np.int64), (1, np.zeros(2)), (1, np.zeros(2)))


def test_rows_of_other_numbers_are_refused() -> None:
    with pytest.raises(TypingError, match="words must be int64 in a contiguous row, got array"):
        njit(through)(np.zeros((2, 7)), RECORD, LIKE)
