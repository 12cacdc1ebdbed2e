"""Numbers from luck."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from driftwise.core.compiler.compiled import compiled
from driftwise.core.randomness import draws


@compiled
def fill(lucks: Any, i: int, uniforms: Any, forks: Any) -> None:
    for t in range(lucks.size):
        uniforms[t] = draws.uniform(lucks[t], i)
        forks[t] = draws.fork(lucks[t], i)


def draw(lucks: NDArray[np.int64], i: int) -> tuple[NDArray[Any], NDArray[Any]]:
    out = np.empty(len(lucks)), np.empty(len(lucks), np.int64)
    fill(lucks, i, *out)
    return out


@pytest.mark.parametrize("i", [0, 1, 1000])
def test_interpreter_and_compiler_give_the_same_bits(i: int) -> None:
    lucks = np.random.default_rng(0).integers(0, 2**63, 2000)
    uniforms, forks = draw(lucks, i)
    assert [draws.uniform(int(luck), i) for luck in lucks] == uniforms.tolist()
    assert [draws.fork(int(luck), i) for luck in lucks] == forks.tolist()
    assert [draws.fork(luck, i) for luck in lucks[:50]] == forks[:50].tolist()  # numpy integers


def test_the_luck_of_a_restart_is_not_the_luck_of_a_round() -> None:
    lucks = [draws.fork(7, t) for t in range(-1, 1000)]
    assert len(set(lucks)) == len(lucks)


def test_words_are_the_published_splitmix64() -> None:
    # First outputs for seed 1234567, as published with the reference implementation.
    assert [draws.word(1234567, i) for i in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("kind", ["random", "consecutive", "forked"])
def test_uniforms_are_uniform_and_independent(kind: str) -> None:
    n = 400_000
    lucks = np.arange(n)
    if kind == "random":
        lucks = np.random.default_rng(1).integers(0, 2**63, n)
    if kind == "forked":
        lucks = draw(lucks, 0)[1]
    (first, forks), (second, _) = draw(lucks, 0), draw(lucks, 1)
    assert first.min() >= 0.0
    assert first.max() < 1.0
    assert forks.min() >= 0
    assert stats.kstest(first, "uniform").pvalue > 1e-3
    pairs = np.histogram2d(first, second, bins=40)[0].ravel()
    assert stats.chisquare(pairs).pvalue > 1e-3
    for lag in (1, 2):
        assert abs(np.corrcoef(first[:-lag], first[lag:])[0, 1]) * math.sqrt(n) < 4.5
