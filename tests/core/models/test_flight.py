"""Every layout of a regression, as certain as it will be when all that is in flight has come."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.core.compiler.compiled import compiled
from driftwise.core.contract.blocks import Blocked
from driftwise.core.models.discounted.fading import begin_fading
from driftwise.core.models.ridge.regression import begin
from driftwise.policies.forgetting.linear import flight_for

ROWS = np.random.default_rng(2).standard_normal((9, 4))
IN_BLOCKS = ROWS * (np.arange(4) // 2 == np.arange(9)[:, None] % 2)
LAYOUTS: dict[str, tuple[int, NDArray[np.float64], bool]] = {
    "dense": (4, ROWS, False),
    "listed": (4, ROWS, True),
    "blocks": (Blocked(2, 2), IN_BLOCKS, False),
}


@compiled
def ahead_of(regression: Any, gram: Any) -> Any:
    return regression.ahead(gram)


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("is_fading", [True, False])
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_rows_in_flight_are_inserted(name: str, is_fading: bool, is_compiled: bool) -> None:
    dimension, rows, is_fixed = LAYOUTS[name]
    fixed = rows if is_fixed else None
    regression: Any = (begin_fading if is_fading else begin)(len(rows), dimension, fixed)
    regression.clear(0.5)
    pending = flight_for(regression, dimension)
    weights = np.zeros(9)
    for arm in range(6):
        if is_fading:
            regression.fade(rows[arm], arm, 1.0 + arm, 0.8, 0.5, 2)
        else:
            regression.insert(rows[arm], arm, 1.0 + arm)
        weights *= 0.8 if is_fading else 1.0
        weights[arm] = 1.0
    for arm in range(3, 9):
        pending.take_off(regression, rows[arm], arm, 100 + arm)
    pending.land(regression, 104)
    is_in_flight = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1])
    ahead = (ahead_of if is_compiled else ahead_of.py_func)(regression, pending.gram)  # type: ignore[attr-defined]  # of numba
    gram, squares = (
        0.5 * np.eye(4) + (rows.T * (each + is_in_flight)) @ rows for each in (weights, weights**2)
    )
    inverse = np.linalg.inv(gram)
    wanted = inverse @ squares @ inverse if is_fading else inverse
    np.testing.assert_allclose(ahead.error_shape(), wanted, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(ahead.solution(), regression.solution(), rtol=1e-9)
