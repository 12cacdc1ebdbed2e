"""Numbers from luck."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from driftwise.core import draws
from driftwise.core.compiled import compiled


@compiled
def fill(lucks: Any, i: int, uniforms: Any, normals: Any, forks: Any) -> None:
    for t in range(lucks.size):
        uniforms[t] = draws.uniform(lucks[t], i)
        normals[t] = draws.normal(lucks[t], i)
        forks[t] = draws.fork(lucks[t], i)


def draw(lucks: NDArray[np.int64], i: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    out = np.empty(len(lucks)), np.empty(len(lucks)), np.empty(len(lucks), np.int64)
    fill(lucks, i, *out)
    return out


@pytest.mark.parametrize("i", [0, 1, 1000])
def test_interpreter_and_compiler_give_the_same_bits(i: int) -> None:
    lucks = np.random.default_rng(0).integers(0, 2**63, 2000)
    uniforms, normals, forks = draw(lucks, i)
    assert [draws.uniform(int(luck), i) for luck in lucks] == uniforms.tolist()
    assert [draws.normal(int(luck), i) for luck in lucks] == normals.tolist()
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
        lucks = draw(lucks, 0)[2]
    (first, normals, forks), (second, _, _) = draw(lucks, 0), draw(lucks, 1)
    assert first.min() >= 0.0
    assert first.max() < 1.0
    assert forks.min() >= 0
    assert stats.kstest(first, "uniform").pvalue > 1e-3
    assert stats.kstest(normals, "norm").pvalue > 1e-3
    pairs = np.histogram2d(first, second, bins=40)[0].ravel()
    assert stats.chisquare(pairs).pvalue > 1e-3
    for lag in (1, 2):
        assert abs(np.corrcoef(first[:-lag], first[lag:])[0, 1]) * math.sqrt(n) < 4.5


def test_normals_are_the_inverse_cdf() -> None:
    # Consecutive lucks, and words in both tails, where other formulas take over.
    cells = [draws.word(luck, 0) >> 12 for luck in range(2000)]
    wanted = special.ndtri((np.array(cells, dtype=np.float64) + 0.5) * 2.0**-52)
    got = [draws.normal(luck, 0) for luck in range(2000)]
    assert got == pytest.approx(wanted, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("cell", [0, 1, 2**20, 2**40, 2**52 - 1, 2**52 - 2**30, 2**51])
def test_normals_in_the_tails(cell: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "word", lambda luck, i: cell << 12)
    tail = min(cell + 0.5, 2**52 - cell - 0.5) * 2.0**-52  # exact, on either side
    wanted = special.ndtri(tail) * (1.0 if cell < 2**51 else -1.0)
    assert draws.normal(0, 0) == pytest.approx(wanted, rel=1e-13, abs=1e-14)
