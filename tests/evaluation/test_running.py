"""A gain that is kept by sums: as over arrays, and limits that are hardly ever wrong."""

from __future__ import annotations

import numpy as np
import pytest

from driftwise.evaluation.running import RunningGain
from driftwise.evaluation.sequences import lower_limits


def test_sums_are_as_arrays() -> None:
    random = np.random.default_rng(1)
    weights = random.choice([0.0, 1.01, 60.0], size=500, p=[0.2, 0.79, 0.01])
    rewards = random.random(500)
    gain, sums = RunningGain(0.9), []
    for weight, reward in zip(weights, rewards, strict=True):
        gain.add(float(weight), float(reward))
        sums.append((gain.low, gain.high))
    low = lower_limits((weights - 1.0) * rewards, 1.0, 0.05)
    high = -lower_limits((weights - 1.0) * (1.0 - rewards), 1.0, 0.05)
    assert np.allclose(sums, np.column_stack([np.maximum(low, -1.0), np.minimum(high, 1.0)]))
    before = np.concatenate([[0.0], np.cumsum(rewards)[:-1] / np.arange(1, 500)])
    assert gain.value == pytest.approx(np.mean((weights - 1.0) * (rewards - before)))
    assert gain.log == pytest.approx(rewards.mean())
    assert gain.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_nothing_is_known_at_first() -> None:
    gain = RunningGain()
    assert (gain.value, gain.low, gain.high, gain.effective) == (0.0, -1.0, 1.0, 0.0)


def test_limits_are_ever_wrong_in_at_most_one_log_of_twenty() -> None:
    """The world, and how often the target agrees with the log, move; looked at after every event."""
    wrong, n, share = 0, 1000, 0.1
    random = np.random.default_rng(2)
    for _ in range(200):
        means = np.stack([0.5 + 0.4 * np.sin(np.arange(n) / 150.0), np.full(n, 0.5)], axis=1)
        target = (np.arange(n) // 200) % 2
        explores = random.random(n) < share
        played = np.where(explores, random.integers(2, size=n), 0)  # the log's own choice is arm 0
        propensity = np.where(played == 0, 1.0 - share / 2, share / 2)
        rewards = random.random(n) < means[np.arange(n), played]
        expected = (1.0 - share / 2) * means[:, 0] + share / 2 * means[:, 1]
        truth = np.cumsum(means[np.arange(n), target] - expected) / np.arange(1, n + 1)
        gain = RunningGain(0.9)
        for t in range(n):
            gain.add(float(target[t] == played[t]) / float(propensity[t]), float(rewards[t]))
            if not gain.low <= truth[t] <= gain.high:
                wrong += 1
                break
    assert wrong <= 20
