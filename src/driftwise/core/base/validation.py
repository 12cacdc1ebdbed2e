"""One form for every error: the parameter, the rule, what came."""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import RuleTypeError, RuleValueError
from .nearest import hint_of

__all__ = [
    "LARGEST",
    "LARGEST_ACTION",
    "LARGEST_PARAMETER",
    "LARGEST_REWARD",
    "floats_in",
    "masked_in",
    "require_actions",
    "require_array",
    "require_between",
    "require_flag",
    "require_fraction",
    "require_integer",
    "require_known",
    "require_number",
    "require_reward",
]

# How large a number may be. What passes these checks cannot become infinite inside a memory: with a
# ridge of at least 1e-30 an estimate is no longer than rewards / (2 sqrt(ridge)), and the square of
# its product with an action, (5e114 * 1e30)^2, the largest that occurs, leaves room for long sums.
LARGEST = 1e100  # a setting, and all else that has no bound of its own
LARGEST_REWARD = LARGEST
LARGEST_ACTION = 1e30  # a coordinate
# A coordinate of a world's parameter, and the scale of its noise: products with actions are rewards.
LARGEST_PARAMETER = 1e60

_FLOAT = np.dtype(np.float64)


def require_integer(
    name: str, value: Any, *, at_least: int = 1, at_most: int | None = None, unit: str = ""
) -> int:
    """Return ``value`` as an int, or say what is wrong with it.

    Examples
    --------
    >>> require_integer("window", 0, unit="round")
    Traceback (most recent call last):
    driftwise...ValueError: window must be at least 1 round, got 0
    """
    try:
        if isinstance(value, bool | np.bool_):  # to Python an int, and hardly ever meant as one
            raise TypeError
        integer = operator.index(value)
    except TypeError:
        raise RuleTypeError(name, "be an integer", value) from None
    unit = f" {unit}" if unit else ""
    if integer < at_least:
        raise RuleValueError(name, f"be at least {at_least}{unit}", integer)
    if at_most is not None and integer > at_most:
        raise RuleValueError(name, f"be at most {at_most}{unit and unit + 's'}", integer)
    return integer


def require_number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    largest: float = LARGEST,
) -> float:
    """Return ``value`` as a finite float, or say what is wrong with it.

    Examples
    --------
    >>> require_number("noise", -1.0, at_least=0.0)
    Traceback (most recent call last):
    driftwise...ValueError: noise must be at least 0, got -1.0
    """
    if isinstance(value, str | bytes | bool | np.bool_):
        raise RuleTypeError(name, "be a number", value)
    if masked_in(value):
        raise RuleValueError(name, "not be masked", value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RuleTypeError(name, "be a number", value) from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RuleValueError(name, "be a finite number", number)
    if abs(number) > largest:
        raise RuleValueError(name, f"not exceed {largest:g} in magnitude", number)
    if number <= above:
        raise RuleValueError(name, f"be above {above:g}", number)
    if number < at_least:
        raise RuleValueError(name, f"be at least {at_least:g}", number)
    return number


def require_reward(reward: Any, *, largest: float = LARGEST) -> float:
    """Return a reward as a finite float; True, a click, is 1.

    Examples
    --------
    >>> require_reward(True), require_reward(0.5)
    (1.0, 0.5)
    """
    reward = float(reward) if isinstance(reward, bool | np.bool_) else reward
    return require_number("reward", reward, largest=largest)


def require_flag(name: str, value: Any) -> bool:
    """Return ``value`` as a bool if it is True or False: 1 and 0 are numbers.

    Examples
    --------
    >>> require_flag("is_growing", 1)
    Traceback (most recent call last):
    driftwise...TypeError: is_growing must be True or False, got 1
    """
    if not isinstance(value, bool | np.bool_):
        raise RuleTypeError(name, "be True or False", value)
    return bool(value)


def require_between(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float in [low, high], or say what is wrong with it.

    Examples
    --------
    >>> require_between("mixing", 1.5, 0.0, 1.0)
    Traceback (most recent call last):
    driftwise...ValueError: mixing must be in [0, 1], got 1.5
    """
    number = require_number(name, value)
    if not low <= number <= high:
        raise RuleValueError(name, f"be in [{low:g}, {high:g}]", number)
    return number


def require_fraction(name: str, value: Any, *, inclusive: bool = False) -> float:
    """Return ``value`` if it lies in (0, 1), or in (0, 1] if ``inclusive``."""
    number = require_number(name, value)
    if not 0.0 < number <= 1.0 or (number == 1.0 and not inclusive):
        raise RuleValueError(name, f"be in (0, 1{']' if inclusive else ')'}", number)
    return number


def require_array(
    name: str, value: ArrayLike, *, shape: Sequence[int | None], largest: float = LARGEST
) -> NDArray[np.float64]:
    """Return ``value`` as a contiguous array of finite floats of the wanted shape and size.

    ``None`` in ``shape`` stands for any length of at least one.

    Examples
    --------
    >>> require_array("decision_set", [[1.0, 2.0]], shape=(None, 3))
    Traceback (most recent call last):
    driftwise...ValueError: decision_set must have shape (any, 3), got (1, 2)
    """
    if masked_in(value):
        raise RuleValueError(name, "have no masked entries", masked_in(value))
    try:
        array = floats_in(value)
    except (TypeError, ValueError, OverflowError):
        raise RuleTypeError(name, "be an array of numbers", value, reprlib.repr(value)) from None
    fits = array.ndim == len(shape) and np.ndim(value) == len(shape)
    if not fits or any(
        want is not None and want != got for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise RuleValueError(name, f"have shape ({wanted})", np.shape(value))
    if array.size == 0:
        raise RuleValueError(name, "not be empty", array.shape, f"shape {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise RuleValueError(name, "be finite", array[where], f"{array[where]} at index {where}")
    if np.abs(array).max() > largest:
        raise RuleValueError(
            name,
            f"not exceed {largest:g} in magnitude",
            np.abs(array).max(),
            f"{np.abs(array).max():g}",
        )
    return array


def require_actions(
    name: str, value: ArrayLike, *, shape: Sequence[int | None]
) -> NDArray[np.float64]:
    """Return ``value`` as `require_array` does, if no coordinate exceeds `LARGEST_ACTION`.

    Examples
    --------
    >>> require_actions("decision_set", [[1.0, 1e31]], shape=(None, 2))
    Traceback (most recent call last):
    driftwise...ValueError: decision_set must not exceed 1e+30 in magnitude, got 1e+31
    """
    return require_array(name, value, shape=shape, largest=LARGEST_ACTION)


def floats_in(value: ArrayLike) -> NDArray[np.float64]:
    """Return ``value`` as a contiguous array of floats; raise some error if it is none."""
    if type(value) is not np.ndarray and masked_in(value):
        raise ValueError
    array = np.ascontiguousarray(value)
    if array.dtype is _FLOAT:  # as a rule, and agents are in a hurry
        return array
    # NumPy reads numbers out of text, drops imaginary parts and counts days.
    if array.dtype.kind not in "biufO" or (
        array.dtype == object and any(isinstance(item, str | bytes) for item in array.flat)
    ):
        raise TypeError
    return array.astype(np.float64)


def masked_in(value: Any) -> int:
    """Return how many entries of an array, or of a list of rows, are masked: NumPy drops masks."""
    if isinstance(value, list | tuple):
        return sum(masked_in(row) for row in value if isinstance(row, np.ndarray))
    is_special = isinstance(value, np.ndarray) and type(value) is not np.ndarray
    return int(np.ma.getmaskarray(value).sum()) if is_special else 0


def require_known(name: str, value: str, known: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``known``; otherwise name the nearest that is.

    Examples
    --------
    >>> require_known("world", "Sinusiod", ["Sinusoid", "Stationary"])
    Traceback (most recent call last):
    driftwise...ValueError: world must be one of Sinusoid, Stationary, got 'Sinusiod'; did you mean 'Sinusoid'?
    """
    names = list(known)
    if value in names:
        return value
    shown = f"{value!r}{hint_of(str(value), names)}"
    raise RuleValueError(name, f"be one of {', '.join(names)}", value, shown)
