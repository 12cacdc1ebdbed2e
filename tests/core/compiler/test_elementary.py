"""exp, log and log1p: less than 1 ulp off, and the same bits however they are run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray

from driftwise.core.compiler.abreast import Width, abreast, put, take
from driftwise.core.compiler.compiled import inlined
from driftwise.core.compiler.elementary import exp, exponentials, log, log1p, logarithms
from driftwise.core.compiler.exponents import LEAST_FRACTION, split
from driftwise.core.compiler.numba_parts import _symbols_of

Array = NDArray[np.float64]

LEAST, MOST = 5e-324, 1.7976931348623157e308
RANDOM = np.random.default_rng(0)
N = 2000
EDGES = [
    0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, LEAST, -LEAST, MOST, -MOST,
    2.0**-1022, 2.0**-1022 - LEAST, 1.0 - 2.0**-53, 1.0 + 2.0**-52, -1.0 + 2.0**-53, -708.0, 709.0,
    709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412, 1e300, -1e300,
]  # fmt: skip


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def one_by_one(values: Array, out: Array) -> None:
    for i in range(values.size):
        out[0, i] = exp(values[i])
        out[1, i] = log(values[i])
        out[2, i] = log1p(values[i])


@inlined
def some(first: int, width: Width, values: Array, out: Array) -> None:
    taken = take(values, first, width)
    put(out[0], first, exponentials(taken))
    put(out[1], first, logarithms(taken))


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def side_by_side(values: Array, out: Array) -> None:
    abreast(some, values.size, values, out)


def around(points: NDArray[Any], share: float) -> Array:
    return points * (1.0 + share * RANDOM.uniform(-1.0, 1.0, len(points)))


# Where ranges of an argument meet: half-way between multiples of ln 2; at the ends of fractions.
HALF_WAY = (RANDOM.integers(-1000, 1000, N) + 0.5) * math.log(2.0)
FRACTION_ENDS = LEAST_FRACTION * 2.0 ** RANDOM.integers(-3, 4, N)
SIZES = 10.0 ** RANDOM.uniform(-18.0, 0.0, N)
PLACES: dict[str, tuple[Callable[[float], float], Array]] = {
    "exp, anywhere": (exp, RANDOM.uniform(-708.0, 709.0, N)),
    "exp, near 0": (exp, RANDOM.uniform(-1.0, 1.0, N)),
    "exp, of little": (exp, RANDOM.choice([-1.0, 1.0], N) * SIZES),
    "exp, where ranges meet": (exp, around(HALF_WAY, 1e-7)),
    "exp, subnormal": (exp, RANDOM.uniform(-745.13, -708.0, N)),
    "exp, largest": (exp, RANDOM.uniform(708.9, 709.78, N)),
    "log, anywhere": (log, 2.0 ** RANDOM.uniform(-1022.0, 1024.0, N)),
    "log, of integers": (log, np.arange(2.0, N)),
    "log, near 1": (log, RANDOM.uniform(0.3, 3.0, N)),
    "log, very near 1": (log, 1.0 + RANDOM.choice([-0.5, 0.5], N) * SIZES),
    "log, where ranges meet": (log, around(FRACTION_ENDS, 1e-3)),
    "log, of subnormals": (log, 2.0 ** RANDOM.uniform(-1074.0, -1022.0, N)),
    "log1p, near 0": (log1p, RANDOM.uniform(-0.99, 3.0, N)),
    "log1p, of little": (log1p, RANDOM.choice([-0.9, 0.9], N) * SIZES),
    "log1p, anywhere": (log1p, 10.0 ** RANDOM.uniform(-300.0, 300.0, N)),
    "log1p, where ranges meet": (log1p, around(FRACTION_ENDS, 1e-3) - 1.0),
}


def truth(function: Any, x: float) -> Decimal:
    """Return the outcome in more than three times the digits of a float."""
    exact = Decimal(x)
    if function is exp:
        return exact.exp()
    if function is log1p and abs(x) < 1e-20:
        return exact - exact * exact / 2
    return (1 + exact if function is log1p else exact).ln()


@pytest.mark.parametrize("place", PLACES)
def test_errors_stay_below_one_ulp(place: str) -> None:
    function, values = PLACES[place]
    with localcontext() as context:
        context.prec, context.Emin = 60, -(10**6)
        worst = max(
            abs(Decimal(function(x)) - true) / Decimal(math.ulp(float(true)))
            for x in values.tolist()
            for true in [truth(function, x)]
        )
    assert worst < 1, (place, worst)


def test_the_ends_of_the_range() -> None:
    assert [exp(x) for x in (0.0, -0.0, -math.inf, math.inf)] == [1.0, 1.0, 0.0, math.inf]
    assert exp(709.782712893384) == pytest.approx(MOST, rel=1e-13)
    assert exp(709.7827128933841) == math.inf
    assert (exp(-745.1332191019411), exp(-745.1332191019412)) == (LEAST, 0.0)
    assert [log(x) for x in (0.0, -0.0, 1.0, math.inf)] == [-math.inf, -math.inf, 0.0, math.inf]
    assert log1p(-1.0) == -math.inf
    assert log1p(math.inf) == math.inf
    assert math.copysign(1.0, log(1.0)) == 1.0
    assert log1p(LEAST) == LEAST
    undefined = [*map(log, (-LEAST, -1.0, -math.inf, math.nan)), exp(math.nan)]
    undefined += map(log1p, (-1.0 - 2.0**-52, -math.inf, math.nan))
    assert all(map(math.isnan, undefined))


@pytest.mark.parametrize("function", [exp, log, log1p])
def test_more_never_gives_less_where_ranges_meet(function: Any) -> None:
    middle = 1.5 * math.log(2.0) if function is exp else 2.0 * LEAST_FRACTION
    for centre in (middle, middle - 1.0, 1.0, 0.5 * math.log(2.0), 100.5 * math.log(2.0)):
        x = centre + math.ulp(centre) * np.arange(-500, 500)
        found = [function(each) for each in x.tolist()]
        assert found == sorted(found), centre


def bits_of(values: Any) -> dict[str, bytes]:
    """Return the bits of exp, log and log1p of some numbers, for each way to work them out."""
    values = np.asarray(values, dtype=np.float64)
    interpreted, compiled, beside = (np.empty((3, len(values))) for _ in range(3))
    one_by_one.py_func(values, interpreted)
    one_by_one(values, compiled)
    side_by_side(values, beside)
    beside[2] = compiled[2]
    # A nan is a nan: neither Python nor NumPy promises anything of its sign.
    ways = {"interpreted": interpreted, "compiled": compiled, "side by side": beside}
    return {way: np.where(np.isnan(out), np.nan, out).tobytes() for way, out in ways.items()}


@settings(deadline=None, derandomize=True, database=None)  # the compiler takes seconds
@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_any_numbers_have_the_same_bits_in_every_way(values: list[float]) -> None:
    assert len(set(bits_of(values).values())) == 1


@pytest.mark.parametrize("n", range(1, 16))
def test_edges_have_the_same_bits_in_every_way(n: int) -> None:
    for first in range(len(EDGES)):
        assert len(set(bits_of(np.roll(EDGES, -first)[:n]).values())) == 1
    for scale in (0.1, 1.0, 30.0):  # as the rules have them: none at the edges
        assert len(set(bits_of(scale * RANDOM.uniform(0.01, 1.0, n)).values())) == 1


@settings(deadline=None, derandomize=True, database=None)  # the compiler takes seconds
@given(st.floats(min_value=2.0**-1022, max_value=MOST))
def test_a_number_is_split_exactly(x: float) -> None:
    fraction, exponent = split(x)
    assert LEAST_FRACTION <= fraction < 2.0 * LEAST_FRACTION
    assert math.ldexp(fraction, int(exponent)) == x
    assert (fraction, exponent) == split_compiled(x)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def split_compiled(x: float) -> tuple[float, float]:
    return split(x)


def test_integers_and_numbers_of_numpy_are_numbers() -> None:
    assert log(7) == log(np.float64(7.0)) == log(7.0)
    assert exp(np.float64(1000.0)) == math.inf  # and no warning
    assert njit(lambda n: log(n))(7) == log(7.0)


@pytest.mark.parametrize("run", [one_by_one, side_by_side])
def test_machine_code_calls_no_library_and_fuses_nothing(run: Any) -> None:
    run(np.ones(3), np.empty((3, 3)))
    (result,) = run.overloads.values()
    assert not {"exp", "log", "log1p", "ldexp", "frexp", "fma"} & set(_symbols_of(result.library))
    (code,) = run.inspect_asm().values()
    assert not re.findall(r"\bv?fn?m(?:add|sub|la)\w*", code)  # of x86 and of ARM
