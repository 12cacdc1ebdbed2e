"""Late rewards in evaluations: what has not come is never zero, and what is said of it is so."""

from __future__ import annotations

import numpy as np
import pytest

import driftwise as dw


def test_unarrived_is_never_zero() -> None:
    """Rewards are all 1; of the last ones many have not come."""
    n = 1000
    delay = np.random.default_rng(0).exponential(100.0, n)
    came = np.arange(n) + delay < n
    log = dw.Log(
        {"time": t, "actions": ["a", "b"], "action": t % 2, "propensities": [0.5, 0.5],
         **({"reward": 1.0, "reward_time": t + delay[t]} if came[t] else {})}
        for t in range(n)
    )  # fmt: skip
    for late in ("matured", "corrected"):
        found = dw.evaluation.advice(log, {"mine": dw.UCB1()}, wait=500, late=late, window=100)
        assert found["mine"].value == pytest.approx(1.0, abs=0.05)
        course = found["mine"].over_time
        assert course is not None
        assert course.value[-1] > 0.7, "the end of the log looks like a fall"
        assert any("younger" in said or "too young" in said for said in found.warnings)


def test_corrected_counts_nothing_that_is_not_there() -> None:
    """All are old enough, and a third of the rewards came too late."""
    log = dw.Log(
        {"time": t, "actions": ["a", "b"], "action": t % 2, "propensities": [0.5, 0.5],
         "reward": 1.0, "reward_time": t + 20.0 * (t % 3 == 0)}
        for t in range(100)
    )  # fmt: skip
    found = dw.evaluation.advice(log[:90], {"mine": dw.UCB1()}, wait=10, late="corrected")
    assert any("after the wait" in said for said in found.warnings)
    assert not any("too young" in said for said in found.warnings)
