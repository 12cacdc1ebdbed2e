"""Sines by pages, against sines one by one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.worlds.parts.waves import Wave


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    turn=st.floats(-3.0, 3.0),
    first=st.integers(0, 100_000),
    n=st.integers(1, 5000),
    cut=st.integers(1, 4999),
)
def test_equal_to_sines_and_to_themselves_however_cut(
    turn: float, first: int, n: int, cut: int
) -> None:
    wave, t = Wave(turn), np.arange(first, first + n)
    sines, cosines = wave.sines(t), wave.cosines(t)
    for row in {0, n // 2, n - 1}:
        # An angle of this size is itself rounded, by up to 1e-16 of it.
        margin = 1e-14 + 4e-16 * abs(turn) * (first + n)
        assert abs(sines[row] - math.sin(turn * int(t[row]))) < margin
        assert abs(cosines[row] - math.cos(turn * int(t[row]))) < margin
    if cut < n:
        assert np.array_equal(wave.sines(t[cut:]), sines[cut:])
        assert np.array_equal(wave.cosines(t[:cut]), cosines[:cut])


def test_no_rounds_have_no_sines() -> None:
    nothing = np.arange(5000, 5000)
    assert len(Wave(0.1).sines(nothing)) == len(Wave(0.1).cosines(nothing)) == 0
