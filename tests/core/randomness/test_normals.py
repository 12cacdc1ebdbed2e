"""Standard normal numbers from luck."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from driftwise.core.compiler.compiled import compiled
from driftwise.core.randomness import normals
from driftwise.core.randomness.draws import word


@compiled
def fill(lucks: Any, i: int, out: Any) -> None:
    for t in range(lucks.size):
        out[t] = normals.normal(lucks[t], i)


def draw(lucks: NDArray[np.int64], i: int = 0) -> NDArray[np.float64]:
    out = np.empty(len(lucks))
    fill(lucks, i, out)
    return out


MANY = draw(np.random.default_rng(1).integers(0, 2**63, 4_000_000))


@pytest.mark.parametrize("i", [0, 1, 1000])
def test_interpreter_and_compiler_give_the_same_bits(i: int) -> None:
    lucks = np.random.default_rng(0).integers(0, 2**63, 20_000)
    drawn = draw(lucks, i)
    # All that fell at an edge or into the tail, and some of the others.
    layers = np.array([bits & 127 for bits in (word(int(luck), i) for luck in lucks)])
    is_rare = np.abs(drawn) >= normals._ENDS[1:][layers] * 0.999
    assert is_rare.sum() > 200
    for t in np.flatnonzero(is_rare | (np.arange(len(lucks)) < 1000)):
        assert normals.normal(int(lucks[t]), i) == drawn[t]


def test_numbers_of_any_width_serve_as_an_index() -> None:
    lucks = range(500)  # enough for some that need more than one word
    wanted = [normals.normal(luck, 1) for luck in lucks]
    for kind in (np.uint32, np.int64):
        assert [normals.normal(luck, kind(1)) for luck in lucks] == wanted  # type: ignore[arg-type]  # an integer


def test_the_layers_have_one_area_and_lie_under_the_curve() -> None:
    ends, heights = normals._ENDS, normals._HEIGHTS
    np.testing.assert_allclose(heights[1:], np.exp(-(ends[1:] ** 2) / 2), rtol=1e-12)
    areas = ends[:-1] * np.diff(heights)
    np.testing.assert_allclose(areas, areas[0], rtol=1e-13)
    # The lowest layer has the area of its part left of the tail and of the tail.
    tail = math.sqrt(2 * math.pi) * stats.norm.sf(ends[1])
    assert areas[0] == pytest.approx(ends[1] * heights[1] + tail, rel=1e-13)


@pytest.mark.parametrize("kind", ["random", "consecutive", "of one luck"])
def test_normals_are_normal(kind: str) -> None:
    drawn = MANY[:400_000]
    if kind == "consecutive":
        drawn = draw(np.arange(400_000))
    if kind == "of one luck":
        drawn = np.array([normals.normal(7, i) for i in range(20_000)])
    assert stats.kstest(drawn, "norm").pvalue > 1e-3
    for lag in (1, 2):
        correlation = np.corrcoef(drawn[:-lag], drawn[lag:])[0, 1]
        assert abs(correlation) * math.sqrt(len(drawn)) < 4.5


def test_bins_from_the_centre_to_the_tails_are_filled_as_they_should_be() -> None:
    """Bins finer than most layers, and the two tails."""
    edges = np.array([-np.inf, *np.linspace(-3.6, 3.6, 400), np.inf])
    counts = np.histogram(MANY, edges)[0]
    expected = len(MANY) * np.diff(stats.norm.cdf(edges))
    assert expected.min() > 5
    assert stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-3


def test_the_tail_begins_where_the_layers_end() -> None:
    start = normals._START
    beyond = np.abs(MANY[np.abs(MANY) > start])
    expected = 2 * stats.norm.sf(start) * len(MANY)
    assert abs(len(beyond) - expected) < 4.5 * math.sqrt(expected)
    shares = stats.norm.sf(beyond) / stats.norm.sf(start)
    assert stats.kstest(shares, "uniform").pvalue > 1e-3
    assert beyond.max() > 5.0
