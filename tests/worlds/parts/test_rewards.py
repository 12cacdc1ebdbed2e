"""Rewards of all kinds: their moments, and who may have what noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftwise.worlds import Stationary
from driftwise.worlds.parts.rewards import BernoulliRewards, GaussianRewards, reward_law


def test_gaussian_noise_has_the_moments_it_should() -> None:
    n, deviation = 200_000, 0.3
    world = Stationary(horizon=n, parameter=[0.5, -1.0], noise=deviation)
    chunks = list(world.rounds(seed=11, size=8192))
    noise = np.concatenate([(chunk.rewards - chunk.means)[:, 0] for chunk in chunks])
    assert abs(noise.mean()) < 4 * deviation / math.sqrt(n)
    assert abs(noise.std() - deviation) < 4 * deviation / math.sqrt(2 * n)
    standard = noise / deviation
    assert abs((standard**3).mean()) < 4 * math.sqrt(15 / n)
    assert abs((standard**4).mean() - 3) < 4 * math.sqrt(96 / n)
    assert abs((standard[1:] * standard[:-1]).mean()) < 4 / math.sqrt(n)


def test_bernoulli_rewards_are_as_frequent_as_their_probability() -> None:
    n = 100_000
    probabilities = np.array([0.0, 0.03, 0.5, 0.9, 1.0])
    world = Stationary(horizon=n, parameter=probabilities, rewards="bernoulli")
    counts = sum(chunk.rewards.sum(axis=0) for chunk in world.rounds(seed=12, size=8192))
    margin = 4 * np.sqrt(n * probabilities * (1 - probabilities))
    assert (np.abs(counts - n * probabilities) <= margin).all()


def test_heavy_tails_have_a_variance_and_hardly_more() -> None:
    n, deviation = 400_000, 0.3
    law = reward_law("heavy-tailed", deviation)
    noise = law.draw(np.zeros((n, 2)), np.random.default_rng(13))
    assert np.array_equal(noise[:, 0], noise[:, 1])
    # Student's t with 3 degrees of freedom, over sqrt(3): its quartiles are known.
    quartile = 0.7648923284 / math.sqrt(3.0) * deviation
    share = (np.abs(noise[:, 0]) < quartile).mean()
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(n)
    assert noise[:, 0].std() == pytest.approx(deviation, rel=0.1)
    assert np.abs(noise).max() > 15 * deviation  # a normal number would not
    halves = np.random.default_rng(13)
    again = [law.draw(np.zeros((n // 2, 2)), halves) for _ in range(2)]
    assert np.array_equal(np.concatenate(again), noise)


def test_noise_that_grows_with_what_is_expected() -> None:
    law = reward_law("heteroscedastic", 0.2)
    means = np.tile([-1.0, 0.0, 0.5, 1.0, 3.0], (100_000, 1))
    deviations = (law.draw(means, np.random.default_rng(14)) - means).std(axis=0)
    assert deviations == pytest.approx([0.05, 0.05, 0.2, 0.35, 0.35], rel=0.02)
    assert law.noise == pytest.approx(0.35)


def test_one_round_of_a_hundred_is_an_outlier() -> None:
    n, law = 400_000, reward_law("outliers", 0.2)
    noise = law.draw(np.zeros((n, 2)), np.random.default_rng(15))
    assert np.array_equal(noise[:, 0], noise[:, 1])
    assert noise[:, 0].std() == pytest.approx(0.2, rel=0.02)
    # Beyond 5 deviations of ordinary rounds lie only outliers, and of those 61.7% do.
    ordinary = 0.2 / math.sqrt(1.99)
    assert (np.abs(noise[:, 0]) > 5 * ordinary).mean() == pytest.approx(0.00617, rel=0.05)


def test_bernoulli_arms_share_their_luck() -> None:
    means = np.tile([0.2, 0.6], (1000, 1))
    rewards = BernoulliRewards().draw(means, np.random.default_rng(0))
    assert (rewards[:, 0] <= rewards[:, 1]).all()
    assert rewards.sum(axis=0)[0] < rewards.sum(axis=0)[1]


def test_the_proxy_is_the_deviation_or_one_half() -> None:
    assert reward_law("gaussian", None) == GaussianRewards(0.1)
    assert reward_law("gaussian", 0.0).noise == 0.0
    assert reward_law("gaussian", 2).noise == 2.0
    assert reward_law("bernoulli", None).noise == 0.5


def test_without_noise_rewards_are_the_means() -> None:
    world = Stationary(horizon=5, parameter=[0.5, -1.0], noise=0.0)
    (chunk,) = world.rounds(seed=0, size=5)
    assert np.array_equal(chunk.rewards, chunk.means)


@pytest.mark.parametrize(
    ("rewards", "noise", "error", "message"),
    [
        (
            "bernoulli",
            0.1,
            ValueError,
            "noise must be left out when rewards are bernoulli, whose spread follows from the "
            "expected reward, got 0.1",
        ),
        (
            "gausian",
            None,
            ValueError,
            "rewards must be one of gaussian, heavy-tailed, heteroscedastic, outliers, bernoulli, got 'gausian'; did you mean 'gaussian'?",
        ),
        ("gaussian", -1.0, ValueError, "noise must be at least 0, got -1.0"),
        ("gaussian", math.nan, ValueError, "noise must be a finite number, got nan"),
        ("gaussian", "loud", TypeError, "noise must be a number, got 'loud'"),
    ],
)
def test_wrong_settings(rewards: str, noise: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        reward_law(rewards, noise)
    assert str(caught.value) == message


def test_rounding_is_not_a_wrong_probability() -> None:
    law = BernoulliRewards()
    law.check(np.array([[1.0 + 4e-16, -4e-16]]), first=1)
    for wrong in (1.0 + 1e-9, -1e-9):
        with pytest.raises(ValueError, match=r"in \[0, 1\].*in round 8$"):
            law.check(np.array([[0.5], [wrong]]), first=7)
