"""Gamma and beta numbers from luck."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from driftwise.core.compiler.compiled import compiled
from driftwise.core.randomness import gammas

LUCKS = np.random.default_rng(2).integers(0, 2**63, 100_000)


@compiled
def fill(lucks: Any, shape: float, out: Any) -> None:
    for t in range(lucks.size):
        out[t] = gammas.log_of_gamma(lucks[t], shape)


@compiled
def fill_betas(lucks: Any, successes: float, failures: float, out: Any) -> None:
    for t in range(lucks.size):
        out[t] = gammas.beta(lucks[t], successes, failures)


def drawn(shape: float) -> NDArray[np.float64]:
    out = np.empty(len(LUCKS))
    fill(LUCKS, shape, out)
    return out


def drawn_betas(successes: float, failures: float) -> NDArray[np.float64]:
    out = np.empty(len(LUCKS))
    fill_betas(LUCKS, successes, failures, out)
    return out


@pytest.mark.parametrize("shape", [0.01, 0.3, 1.0, 1.5, 20.0, 3e4])
def test_gammas_have_their_distribution(shape: float) -> None:
    """Logarithms, where small shapes fit into a float."""
    log = drawn(shape)
    assert stats.kstest(log, stats.loggamma(shape).cdf).pvalue > 1e-4
    assert log.mean() == pytest.approx(
        stats.loggamma(shape).mean(), abs=5 * log.std() / math.sqrt(len(log))
    )


@pytest.mark.parametrize(
    ("successes", "failures"), [(1.0, 1.0), (0.5, 0.5), (3.0, 997.0), (40.0, 2.5), (1e6, 1e6)]
)
def test_betas_have_their_distribution(successes: float, failures: float) -> None:
    numbers = drawn_betas(successes, failures)
    assert stats.kstest(numbers, stats.beta(successes, failures).cdf).pvalue > 1e-4
    assert 0.0 <= numbers.min() <= numbers.max() <= 1.0


def test_interpreter_and_compiler_give_the_same_bits() -> None:
    for shape in (1e-3, 0.7, 1.0, 33.0):
        compiled_numbers = drawn(shape)[:2000]
        assert [gammas.log_of_gamma(int(luck), shape) for luck in LUCKS[:2000]] == list(
            compiled_numbers
        )
    betas = drawn_betas(0.2, 5.0)[:2000]
    assert [gammas.beta(int(luck), 0.2, 5.0) for luck in LUCKS[:2000]] == list(betas)


@pytest.mark.parametrize(
    ("successes", "failures"), [(1e-6, 1e-6), (1e-6, 1e15), (1e15, 1e-6), (1e100, 1e100)]
)
def test_extreme_shapes_give_numbers(successes: float, failures: float) -> None:
    numbers = drawn_betas(successes, failures)[:2000]
    assert ((numbers >= 0.0) & (numbers <= 1.0)).all()
    if successes == failures:
        assert numbers.mean() == pytest.approx(0.5, abs=0.06)


def test_two_lucks_of_one_draw_are_not_the_same_numbers() -> None:
    """A success and a failure of the same shape are drawn apart: their share is not one half."""
    numbers = drawn_betas(2.0, 2.0)
    assert numbers.std() == pytest.approx(stats.beta(2.0, 2.0).std(), rel=0.02)
