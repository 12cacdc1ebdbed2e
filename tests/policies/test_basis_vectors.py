"""On basis vectors every linear estimate is a mean per arm, shrunk by the ridge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

RIDGE = 0.7
COMMON: dict[str, Any] = {"noise": 0.1, "ridge": RIDGE}
POLICIES: dict[str, Any] = {
    "SlidingWindowUCB": dw.SlidingWindowUCB(window=100, **COMMON),
    "LinUCB": dw.LinUCB(**COMMON),
    "LinTS": dw.LinTS(**COMMON),
    "RestartUCB": dw.RestartUCB(restart_every=100, **COMMON),
    "OracleRestart": dw.OracleRestart(change_points=[99], **COMMON),
    "DiscountedLinUCB": dw.DiscountedLinUCB(discount=1.0, **COMMON),
    "WeightedUCB": dw.WeightedUCB(discount=1.0, **COMMON),
    "DiscountedLinTS": dw.DiscountedLinTS(discount=1.0, **COMMON),
    "DiscountedRandLinUCB": dw.DiscountedRandLinUCB(discount=1.0, **COMMON),
}


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", POLICIES)
def test_the_estimate_is_a_shrunk_mean(name: str, is_fixed: bool) -> None:
    arms = np.eye(3)
    where: dict[str, Any] = {"decision_set": arms} if is_fixed else {"dimension": 3}
    agent = dw.Agent(POLICIES[name], **where, seed=1, is_interpreted=True)
    random = np.random.default_rng(2)
    sums, counts = np.zeros(3), np.zeros(3)
    for _ in range(40):
        decision = agent.choose(None if is_fixed else arms)
        reward = float(random.normal())
        agent.learn(decision, reward)
        sums[decision.arm] += reward
        counts[decision.arm] += 1.0
        assert agent.estimate == pytest.approx(sums / (RIDGE + counts), rel=1e-9, abs=1e-12)
    assert (counts > 0).sum() >= 2
