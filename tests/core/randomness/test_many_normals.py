"""Normal numbers by the thousand are NumPy's, to the bit, whoever draws them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from driftwise.core.randomness.filling import fill_normals, fill_sums
from driftwise.core.randomness.many_normals import many_normals, plus_normals


@pytest.mark.parametrize("shape", [3, 20_000, (5, 4), (10_000, 4), (0,), (0, 3)])
def test_the_numbers_are_those_of_numpy(shape: int | tuple[int, ...]) -> None:
    one, other = np.random.default_rng(7), np.random.default_rng(7)
    for _ in range(3):
        numbers = many_normals(one, shape)
        assert np.array_equal(numbers, other.standard_normal(shape))
        assert numbers.dtype == np.float64
        assert numbers.flags.carray
    assert one.bit_generator.state == other.bit_generator.state
    assert one.integers(2**40) == other.integers(2**40), "whatever is drawn next is the same, too"


def test_rare_numbers_are_the_same_too() -> None:
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    numbers = many_normals(one, 10**6)  # 1 in 100 lies at an edge, 1 in 4,000 in the tail
    assert np.abs(numbers).max() > 4.5
    assert np.array_equal(numbers, other.standard_normal(10**6))


@pytest.mark.parametrize("shape", [(1, 2), (20_000, 2), (20_000, 7), (0, 3)])
def test_sums_are_those_of_numpy(shape: tuple[int, int]) -> None:
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    means = np.random.default_rng(6).uniform(size=shape)
    sums = plus_normals(means, 0.3, one)
    assert np.array_equal(sums, means + (0.3 * other.standard_normal(len(means)))[:, None])
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("n_rounds", [10, 20_000])
@pytest.mark.parametrize("kind", ["int64", "float32", "F"])
def test_sums_are_floats_in_rows_whatever_the_means_are(kind: str, n_rounds: int) -> None:
    plain = np.tile([1.0, 2.0], (n_rounds, 1))
    means = np.asfortranarray(plain) if kind == "F" else plain.astype(kind)
    sums = plus_normals(means, 0.3, np.random.default_rng(5))
    assert sums.dtype == np.float64
    assert np.array_equal(sums, plus_normals(plain, 0.3, np.random.default_rng(5)))


def test_interpreter_and_compiler_draw_the_same() -> None:
    means, numbers, sums = np.ones((500, 2)), np.empty((2, 500)), np.empty((2, 500, 2))
    for i, (normals, added) in enumerate(
        [(fill_normals, fill_sums), (_of(fill_normals), _of(fill_sums))]
    ):
        normals(np.random.default_rng(3), numbers[i])
        added(means, 0.1, np.random.default_rng(3), sums[i])
    assert np.array_equal(numbers[0], numbers[1])
    assert np.array_equal(sums[0], sums[1])


def _of(function: Any) -> Any:
    return function.py_func


def test_a_few_need_no_compiler() -> None:
    code = (
        "import sys, driftwise.worlds as w;"
        "next(w.Sinusoid(horizon=1000).rounds(0, 1000));"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
