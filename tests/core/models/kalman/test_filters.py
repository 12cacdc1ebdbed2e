"""Filters, their mixture and the probe, piece by piece."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise import AdaptiveUCB, Agent
from driftwise.core.models.kalman.axis_filters import FilterAxes
from driftwise.core.models.kalman.filters import FilterDense
from driftwise.core.models.kalman.mixture import BROADEN, LEAP, begin_mixture, steady_gain
from driftwise.core.models.kalman.probe import age, promise, refresh, staleness_rate


@pytest.mark.parametrize("drift", [1e-6, 0.01, 1.0, 16.0])
def test_the_gain_is_where_a_kalman_filter_ends_up(drift: float) -> None:
    variance, gain = 1.0, 0.0
    for _ in range(100_000):
        variance += drift  # in units of the noise
        gain = variance / (variance + 1.0)
        variance -= gain * variance
    assert steady_gain(drift) == pytest.approx(gain, rel=1e-6)


def test_on_axes_both_layouts_are_the_same_filter() -> None:
    random, lengths = np.random.default_rng(1), np.array([0.9, -0.5, 0.0, 1.0, 0.3])
    rows = lengths[:, None] * np.eye(3)[[0, 1, 1, 2, 0]]
    policy = AdaptiveUCB(1.3, 1.1)
    thin = Agent(policy, decision_set=rows, is_interpreted=True)
    full = Agent(policy, dimension=3, is_interpreted=True)
    assert isinstance(thin.memory.filters, FilterAxes)
    assert isinstance(full.memory.filters, FilterDense)
    for t in range(300):
        arms = thin.choose(), full.choose(rows)
        assert arms[0].value == pytest.approx(arms[1].value, rel=1e-9)
        reward = float(arms[0].action @ [0.5, math.sin(t / 40), 0.2]) + 0.1 * random.normal()
        thin.learn(arms[0], reward)
        # The same row for both: where two are alike, each spends its own luck.
        policy.learn(full.memory, arms[0].action, arms[1].choice, reward, 0)
        if t % 3 == 0:  # what the last reward has shown must not be taken off a second time
            for agent in (thin, full):
                policy.tick(agent.memory)
        np.testing.assert_allclose(
            thin.memory.mixture.table, full.memory.mixture.table, rtol=1e-9, atol=1e-12
        )


def test_the_grid_of_drifts() -> None:
    drifts = begin_mixture(4.0**-10, 16.0, 4.0).table[0]
    assert drifts.tolist() == [0.0, *(4.0**k for k in range(-10, 3))]


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rate=st.floats(0.0, 2.0),
    ratio=st.sampled_from([1e-12, 1e-4, 1.0, 100.0]),
)
def test_what_is_seen_is_no_longer_stale(seed: int, rate: float, ratio: float) -> None:
    random = np.random.default_rng(seed)
    stale, along = np.zeros((3, 3)), np.zeros(3)
    for _ in range(50):
        age(stale, rate)
        action = random.uniform(-1, 1, 3) * random.choice([1e-6, 1.0])
        before = action @ stale @ action
        was = refresh(stale, action, ratio, along)
        assert was * (action @ action) == pytest.approx(before, rel=1e-9, abs=1e-300)
        assert np.array_equal(stale, stale.T)
        assert np.linalg.eigvalsh(stale)[0] >= -1e-14 * max(float(np.linalg.norm(stale)), 1.0)
        assert action @ stale @ action == pytest.approx(
            before * ratio / (before + ratio), rel=1e-6, abs=1e-14
        )


def test_probes_become_rare() -> None:
    assert staleness_rate(0.0, 0.125, 0.5) == 0.125
    assert staleness_rate(99.0, 0.125, 0.5) == pytest.approx(0.0125)


def test_an_action_promises_what_it_may_have_become() -> None:
    """Seen just now: mean and spread. Unseen for ever: the most that it could be."""
    assert promise(0.2, 0.1, 0.0, 1.0) == pytest.approx(0.3)
    assert promise(0.2, 0.1, math.e - 1.0, 1.0) == pytest.approx(0.6)
    assert 0.97 < promise(0.2, 0.1, 1e12, 1.0) < 1.0
    assert promise(2.0, 0.1, 1e12, 1.0) == pytest.approx(2.1)  # the bound was too low


def test_a_surprise_after_long_is_held_to_be_a_jump() -> None:
    """One reward that is 4 standard errors off: the world changed, or it is noise."""
    policy = AdaptiveUCB(1.0)
    agent = Agent(policy, n_arms=2, is_interpreted=True)
    random = np.random.default_rng(0)
    for _ in range(500):
        agent.learn(agent.choose(), 0.1 * random.standard_normal())
    mixture, leaps = agent.memory.mixture, []
    for staleness in (0.0, 0.1, 2.0):
        agent.memory.filters.predict(np.array([1.0, 0.0]), 0, 0.4, 100.0, mixture)
        mixture.reweigh(policy, 1.0, 1.0, policy.least_noise, staleness, 1.0)
        # The filter that knows no drift: only by a jump can it move so far.
        leaps.append(mixture.table[LEAP, 0])
        assert (mixture.table[BROADEN] > 0.0).any() == (staleness > 0.0)
    assert leaps[0] == 0.0
    assert leaps[1] < 0.1
    assert 0.3 < leaps[2] < 0.4
