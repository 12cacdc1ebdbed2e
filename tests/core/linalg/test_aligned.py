"""Arrays that begin at a line of the cache are arrays like any others."""

from __future__ import annotations

import numpy as np
import pytest

from driftwise.core.linalg.aligned import aligned_zeros
from driftwise.core.models.discounted.fading import begin_fading
from driftwise.core.models.ridge.regression import begin


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4), (0,), (4, 0)])
def test_zeros_begin_at_a_line(shape: tuple[int, ...]) -> None:
    made = [aligned_zeros(*shape) for _ in range(20)]
    for array in made:
        assert array.shape == shape
        assert array.dtype == np.float64
        assert array.flags.carray
        assert array.size == 0 or array.ctypes.data % 64 == 0
        assert not array.any()
    for i, array in enumerate(made):
        array[:] = i
    assert all((array == i).all() for i, array in enumerate(made)), "none shares memory"


def test_decision_sets_are_written_into_them_as_columns() -> None:
    rows = np.random.default_rng(0).standard_normal((9, 3))
    for memory in (begin(9, 3, rows), begin_fading(9, 3, rows)):
        assert np.array_equal(memory.columns, rows.T)  # type: ignore[union-attr]  # not on axes
        assert memory.columns.ctypes.data % 64 == 0  # type: ignore[union-attr]  # as above
