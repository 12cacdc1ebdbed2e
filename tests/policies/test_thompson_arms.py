"""Thompson sampling of arms that forgets, against beliefs recomputed from all rewards."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise import DiscountedBetaTS, DiscountedGaussianTS, SlidingWindowBetaTS
from driftwise.core.base.arrays import Vector
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import fork
from driftwise.core.randomness.gammas import beta
from driftwise.core.randomness.normals import normal
from tests.policies.by_index import play_late

PlayOn = Callable[..., Iterator[Any]]

POLICIES: dict[str, Any] = {
    "discounted clicks": DiscountedBetaTS(0.97, 0.0, 1.0, 1.0, 3.0),
    "discounted amounts": DiscountedBetaTS(0.99, -1.0, 2.0),
    "clicks for ever": DiscountedBetaTS(1.0),
    "windowed clicks": SlidingWindowBetaTS(40, 0.0, 1.0, 0.5, 0.5),
    "windowed amounts": SlidingWindowBetaTS(25, -1.0, 2.0),
    "discounted normal": DiscountedGaussianTS(0.98, 0.5),
}


def believed(
    policy: Any, arms: list[int], rewards: list[float], n_arms: int
) -> tuple[Vector, Vector]:
    """Return the weight and the sum of each arm's rewards, from all of them in order of arrival."""
    n = len(arms)
    ages = n - 1 - np.arange(n)
    if hasattr(policy, "window"):
        weights = (ages < policy.window).astype(float)
    else:
        weights = policy.discount ** ages.astype(float)
    worth = np.array(rewards, float)
    if hasattr(policy, "low"):
        worth = np.clip((worth - policy.low) / (policy.high - policy.low), 0.0, 1.0)
    is_arm = np.array(arms, int)[:, None] == np.arange(n_arms)
    return weights @ is_arm, (weights * worth) @ is_arm


def draws_of(policy: Any, counts: Vector, sums: Vector, luck: int) -> list[float]:
    """Draw the mean of every arm as the paper says: Beta(a + S, b + N - S), or N(S / N, R^2 / N)."""
    found = []
    for k, (n, s) in enumerate(zip(counts, sums, strict=True)):
        own = fork(luck, k)
        if hasattr(policy, "noise"):
            found.append(
                s / n + policy.noise / math.sqrt(n) * normal(own, 0) if n > 0 else math.inf
            )
        else:
            found.append(beta(own, policy.prior_successes + s, policy.prior_failures + n - s))
    return found


@pytest.mark.parametrize("name", POLICIES)
def test_plays_the_best_of_the_draws(name: str, arrivals: Callable[[int], list[list[int]]]) -> None:
    """Also where rewards come late, and out of order."""
    policy, n_arms = POLICIES[name], 4
    rewards = np.random.default_rng(3).normal([0.2, 0.5, 0.4, 0.6], 0.8, (600, n_arms))
    if "clicks" in name:
        rewards = (rewards > 0.5).astype(float)
    for decision, arms, came in play_late(policy, arrivals(600), rewards):
        drawn = draws_of(policy, *believed(policy, arms, came, n_arms), decision.luck)
        assert decision.arm == np.argmax(drawn) or math.isinf(max(drawn))
        if math.isinf(max(drawn)):
            assert drawn[decision.arm] == math.inf
        else:
            assert decision.choice.value == pytest.approx(max(drawn), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("policy", "total_regret"),
    [
        (DiscountedBetaTS(0.99), 77.91302901499887),
        (SlidingWindowBetaTS(300), 96.60995884267481),
        (DiscountedGaussianTS(0.99, 0.1), 33.19690754308083),
    ],
    ids=lambda each: type(each).__name__,
)
def test_nothing_changed(policy: Any, total_regret: float) -> None:
    world = dw.worlds.Sinusoid(horizon=3000, variation=1.0, noise=0.1)
    run = dw.simulate(policy, world, seed=0)
    assert run.total_regret == pytest.approx(total_regret, rel=1e-9), run.total_regret


@given(
    seed=st.integers(0, 2**32 - 1),
    n_arms=st.integers(1, 6),
    discount=st.floats(0.01, 1.0),
    size=st.sampled_from([0.0, 1e-9, 1.0, 1e100]),
)
@settings(derandomize=True, deadline=None, max_examples=25, database=None)
def test_there_are_never_more_successes_than_rewards(
    play_on: PlayOn, seed: int, n_arms: int, discount: float, size: float
) -> None:
    """Whatever comes, inside of the interval or outside: both shapes of a beta stay positive."""
    rewards = size * np.random.default_rng(seed).uniform(-1, 2, (150, n_arms))
    rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    for policy in (DiscountedBetaTS(discount), SlidingWindowBetaTS(1 + seed % 50)):
        for stretch in play_on(policy, rounds, seed=seed, size=10, is_compiled=False):
            counts, sums = stretch.memory.counts, stretch.memory.sums
            assert (sums >= 0.0).all()
            assert (sums <= counts).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    unit=st.integers(-20, 20).map(lambda n: 2.0**n),
    n_arms=st.integers(1, 5),
)
@settings(derandomize=True, deadline=None, max_examples=20, database=None)
def test_the_unit_of_rewards_does_not_matter(
    play_on: PlayOn, seed: int, unit: float, n_arms: int
) -> None:
    """With a power of two as the unit, not even rounding differs."""
    rewards = np.random.default_rng(seed).uniform(0, 1, (120, n_arms))
    plain = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
    scaled = plain._replace(rewards=unit * rewards)
    pairs: list[tuple[Any, Any]] = [
        (DiscountedBetaTS(0.97), DiscountedBetaTS(0.97, 0.0, unit)),
        (DiscountedGaussianTS(0.97, 0.3), DiscountedGaussianTS(0.97, 0.3 * unit)),
    ]
    for one, other in pairs:
        (here,) = play_on(one, plain, seed=seed, is_compiled=False)
        (there,) = play_on(other, scaled, seed=seed, is_compiled=False)
        np.testing.assert_array_equal(here.arms, there.arms)


def test_an_amount_is_a_fraction_of_a_success_and_what_is_beyond_is_an_end() -> None:
    policy = DiscountedBetaTS(1.0, low=10.0, high=30.0)
    assert [policy.worth(each) for each in (10.0, 15.0, 30.0, -5.0, 1e100)] == [0, 0.25, 1, 0, 1]
    wide = DiscountedBetaTS(1.0, low=-1e100, high=1e100)
    assert wide.worth(0.0) == 0.5


def test_explains_its_beliefs() -> None:
    agent = dw.Agent(DiscountedBetaTS(1.0, 0.0, 10.0), n_arms=2, seed=0, is_interpreted=True)
    for _ in range(30):
        decision = agent.choose()
        agent.learn(decision, 10.0 * decision.arm)
    told = agent.explain()
    counts = agent.memory.counts
    means = [10.0 / (2.0 + counts[0]), 10.0 * (1.0 + counts[1]) / (2.0 + counts[1])]
    assert told["estimate"] == pytest.approx(means)
    assert told["actions"][1]["mean"] == pytest.approx(means[1])
    assert told["winner"]["reason"] == "drawn at random"


def test_tuned() -> None:
    assert DiscountedBetaTS.tuned(
        horizon=10_000, n_arms=2, n_changes=4, high=3.0
    ) == DiscountedBetaTS(0.995, 0.0, 3.0)
    assert SlidingWindowBetaTS.tuned(horizon=10_000, n_arms=2, n_changes=2).window == 429
    assert DiscountedGaussianTS.tuned(horizon=10_000, n_arms=2, noise=0.3).discount == 0.9975


def test_in_a_world_of_clicks_forgetting_pays() -> None:
    means = np.repeat([[0.03, 0.01], [0.03, 0.08]], 20_000, axis=0)
    world = dw.worlds.World(parameters=means, decision_sets=np.eye(2), rewards="bernoulli")
    stubborn, forgetful = (
        np.mean([dw.simulate(DiscountedBetaTS(each), world, seed=s).total_regret for s in range(4)])
        for each in (1.0, 0.999)
    )
    assert forgetful < 0.5 * stubborn < 0.5 * 0.05 * 20_000
