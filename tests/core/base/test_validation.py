"""Every error names the parameter, the rule and what came."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from driftwise.core.base.validation import (
    require_array,
    require_flag,
    require_fraction,
    require_integer,
    require_known,
    require_number,
)


@pytest.mark.parametrize("value", [1, np.int64(3), np.uint8(7)])
def test_integers_pass(value: Any) -> None:
    result = require_integer("window", value)
    assert type(result) is int
    assert result == value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "window must be at least 1 round, got 0"),
        (-3, "window must be at least 1 round, got -3"),
        (2.5, "window must be an integer, got 2.5"),
        (2.0, "window must be an integer, got 2.0"),
        (True, "window must be an integer, got True"),
        ("3", "window must be an integer, got '3'"),
        (None, "window must be an integer, got None"),
        (math.nan, "window must be an integer, got nan"),
    ],
)
def test_other_windows_do_not(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        require_integer("window", value, unit="round")
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [0, 0.5, np.float32(2), np.array(3.0), 1e100])
def test_numbers_pass(value: Any) -> None:
    result = require_number("noise", value, at_least=0.0)
    assert type(result) is float
    assert result == value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-0.1, "noise must be at least 0, got -0.1"),
        (math.nan, "noise must be a finite number, got nan"),
        (-math.inf, "noise must be a finite number, got -inf"),
        (10**400, "noise must be a finite number, got inf"),
        (1e101, "noise must not exceed 1e+100 in magnitude, got 1e+101"),
        ("0.1", "noise must be a number, got '0.1'"),
        (True, "noise must be a number, got True"),
        (None, "noise must be a number, got None"),
        ([0.1, 0.2], "noise must be a number, got [0.1, 0.2]"),
        (1j, "noise must be a number, got 1j"),
    ],
)
def test_other_noises_do_not(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        require_number("noise", value, at_least=0.0)
    assert str(caught.value) == message


def test_above_excludes_its_limit() -> None:
    with pytest.raises(ValueError, match=r"ridge must be above 0, got 0\.0"):
        require_number("ridge", 0.0, above=0.0)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, 1.5])
def test_fractions_exclude_their_ends(value: float) -> None:
    with pytest.raises(ValueError, match=r"share must be in \(0, 1\), got"):
        require_fraction("share", value)


def test_an_inclusive_fraction_may_be_one() -> None:
    assert require_fraction("share", 1, inclusive=True) == 1.0
    with pytest.raises(ValueError, match=r"share must be in \(0, 1\], got 0.0"):
        require_fraction("share", 0, inclusive=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1.0, 2.0], "actions must have shape (any, 2), got (2,)"),
        ([[1.0, 2.0, 3.0]], "actions must have shape (any, 2), got (1, 3)"),
        (5.0, "actions must have shape (any, 2), got ()"),
        (np.zeros((0, 2)), "actions must not be empty, got shape (0, 2)"),
        ([[1.0, math.nan]], "actions must be finite, got nan at index (0, 1)"),
        ([[1.0, 2.0], [-math.inf, 0.0]], "actions must be finite, got -inf at index (1, 0)"),
        ([[1.0, -1e200]], "actions must not exceed 1e+100 in magnitude, got 1e+200"),
        ([[1.0], [1.0, 2.0]], "actions must be an array of numbers, got [[1.0], [1.0, 2.0]]"),
        ([["a", "b"]], "actions must be an array of numbers, got [['a', 'b']]"),
        ([["1", "2"]], "actions must be an array of numbers, got [['1', '2']]"),
        ([[1.0, "2"]], "actions must be an array of numbers, got [[1.0, '2']]"),
        (np.array([["1", 2.0]], object), "actions must be an array of numbers, got array([['1', "),
        (np.array([[1.0, 1j]]), "actions must be an array of numbers, got array([[1.+0.j, "),
        ([[1, 10**400]], "actions must be an array of numbers, got [[1, 1000000"),
    ],
)
def test_arrays_are_checked(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        require_array("actions", value, shape=(None, 2))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "value", [[[1, 2]], [[True, 2.0]], [[Fraction(1), 2]], np.array([[1, 2]], np.float32)]
)
def test_arrays_of_any_real_numbers_pass(value: Any) -> None:
    array = require_array("actions", value, shape=(None, 2))
    assert array.dtype == np.float64
    assert array.tolist() == [[1.0, 2.0]]


def test_flags_are_no_numbers() -> None:
    assert require_flag("is_growing", np.False_) is False
    assert require_flag("is_growing", True) is True
    for value in (0, 1, 1.0, "True", None):
        with pytest.raises(TypeError, match=f"is_growing must be True or False, got {value!r}"):
            require_flag("is_growing", value)


def test_the_nearest_name_is_offered_only_if_there_is_one() -> None:
    with pytest.raises(ValueError, match="did you mean 'Sinusoid'"):
        require_known("world", "sinus", ["Sinusoid", "Stationary"])
    with pytest.raises(ValueError, match=r"got 'xyz'$"):
        require_known("world", "xyz", ["Sinusoid", "Stationary"])
