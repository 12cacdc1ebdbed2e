"""Russac's abrupt circle: the regrets that an independent implementation measured there.

Cumulative regret at rounds 1000, 2000, ..., 6000, mean of 200 runs of that implementation, and the
standard error of the last. Its D-LinUCB follows the paper's recursion, not the published code.
"""

import math
from typing import Any

import numpy as np
import pytest

import driftwise as dw

COMMON: dict[str, Any] = {"noise": 1.0, "ridge": 0.1, "confidence": 0.01}
VARIATION = 4.0 + math.sqrt(2.0)
POLICIES: dict[str, Any] = {
    "LinUCB": dw.LinUCB(**COMMON),
    "D-LinUCB": dw.DiscountedLinUCB(
        discount=dw.theory.discount(horizon=6000, dimension=2, variation=VARIATION), **COMMON
    ),
    "SW-LinUCB": dw.SlidingWindowUCB(window=170, **COMMON),
    "RestartUCB": dw.RestartUCB(
        restart_every=round(2**0.25 * math.sqrt(6000 / VARIATION)), **COMMON
    ),
}
MEASURED = {
    "LinUCB": ([34, 1746, 1830, 3451, 3872, 4174], 9.7),
    "D-LinUCB": ([54, 424, 565, 937, 982, 1027], 3.3),
    "SW-LinUCB": ([70, 287, 397, 614, 680, 745], 2.1),
    "RestartUCB": ([211, 423, 633, 845, 1055, 1266], 3.1),
}
RUNS = 40


def test_the_numbers_come_out_within_four_standard_errors() -> None:
    world = dw.worlds.AbruptCircle()
    regrets = np.array(
        [
            [
                run.regret
                for run in dw.simulate_all(list(POLICIES.values()), world, seed=seed, checkpoints=6)
            ]
            for seed in range(RUNS)
        ]
    )
    for i, (name, (means, error)) in enumerate(MEASURED.items()):
        ours = regrets[:, i].mean(axis=0)
        own_errors = regrets[:, i].std(axis=0, ddof=1) / math.sqrt(RUNS)
        # The error of the other side is known for the last round only; before, it has the ratio
        # of the numbers of runs to ours. Half a unit is what rounding took.
        other_errors = own_errors * math.sqrt(RUNS / 200)
        other_errors[-1] = error
        limits = 4.0 * np.hypot(own_errors, other_errors) + 0.5
        assert np.all(np.abs(ours - means) <= limits), name
        assert np.all(limits[1:] < 0.1 * np.array(means)[1:])  # otherwise this would show little


@pytest.mark.parametrize("name", POLICIES)
def test_settings_are_those_of_the_figure(name: str) -> None:
    assert POLICIES[name].ridge == 0.1
    assert POLICIES["D-LinUCB"].discount == pytest.approx(0.994117, abs=5e-7)
    assert POLICIES["RestartUCB"].restart_every == 40
