"""What must hold whatever the data: equivalences, symmetries and scales, on random problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from driftwise import BanditOverBandit, Exp3, Exp3S, SlidingWindowUCB
from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import play
from driftwise.core.randomness.seeds import luck_of

PlayOn = Callable[..., Iterator[Any]]

bounded = settings(derandomize=True, deadline=None, max_examples=25, database=None)

sizes = st.integers(1, 6)
horizons = st.integers(2, 90)
windows = st.integers(1, 40)
seeds = st.integers(0, 2**32 - 1)
powers_of_two: SearchStrategy[float] = st.integers(-12, 12).map(lambda n: 2.0**n)


def random_rounds(
    seed: int, horizon: int, n_arms: int, dimension: int, *, is_fixed: bool = False
) -> Rounds:
    """Actions in general position, and rewards that owe nothing to them."""
    random = np.random.default_rng(seed)
    n_sets = 1 if is_fixed else horizon
    actions = random.normal(size=(n_sets, n_arms, dimension))
    sizes = random.integers(1, n_arms + 1, n_sets) if not is_fixed else np.full(1, n_arms)
    rewards = random.normal(size=(horizon, n_arms))
    return Rounds(actions, sizes, rewards, rewards)


def seen(rounds: Rounds, arms: NDArray[np.int64]) -> tuple[Matrix, Vector]:
    """Return the actions that were played, (T, d), and their rewards, (T,)."""
    t = np.arange(len(arms))
    return rounds.actions[t * (len(rounds.actions) > 1), arms], rounds.rewards[t, arms]


def inverse(regression: Any) -> Matrix:
    """Return V^-1 = U D U'."""
    factor = np.tril(regression.root, -1).T + np.eye(len(regression.pivots))
    return np.asarray(factor * regression.pivots @ factor.T)


@given(seed=seeds, horizon=horizons, n_arms=sizes, dimension=sizes, extra=st.integers(0, 50))
@bounded
def test_a_window_beyond_the_horizon_is_ridge_ucb_on_all_rounds(
    play_on: PlayOn, seed: int, horizon: int, n_arms: int, dimension: int, extra: int
) -> None:
    rounds = random_rounds(seed, horizon, n_arms, dimension)
    policy = SlidingWindowUCB(horizon + extra, 0.3, 2.0, 0.5, 0.7, 0.1)
    (stretch,) = play_on(policy, rounds, seed=seed)
    ratio = (1 + (horizon + extra) * 2.0**2 / 0.7) / 0.1
    radius = 0.3 * math.sqrt(dimension * math.log(ratio)) + math.sqrt(0.7) * 0.5
    gram, moments = 0.7 * np.eye(dimension), np.zeros(dimension)
    for t, arm in enumerate(stretch.arms):
        offer = rounds.actions[t, : rounds.sizes[t]]
        inverse_gram = np.linalg.inv(gram)
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, inverse_gram, offer))
        assert arm == np.argmax(offer @ inverse_gram @ moments + radius * widths)
        gram += np.outer(offer[arm], offer[arm])
        moments += offer[arm] * rounds.rewards[t, arm]


@given(seed=seeds, horizon=horizons, n_arms=sizes, dimension=sizes, window=windows)
@bounded
def test_the_windowed_sums_are_those_of_the_last_rounds(
    play_on: PlayOn, seed: int, horizon: int, n_arms: int, dimension: int, window: int
) -> None:
    rounds = random_rounds(seed, horizon, n_arms, dimension)
    policy = SlidingWindowUCB(window, 0.3, ridge=0.2)
    (stretch,) = play_on(policy, rounds, seed=seed)
    actions, rewards = seen(rounds, stretch.arms)
    actions, rewards = actions[-window:], rewards[-window:]
    direct = np.linalg.inv(0.2 * np.eye(dimension) + actions.T @ actions)
    close = {"rtol": 1e-8, "atol": 1e-8 * np.abs(direct).max()}
    np.testing.assert_allclose(inverse(stretch.memory.regression), direct, **close)
    estimate = policy.estimate_in(stretch.memory)
    np.testing.assert_allclose(estimate, direct @ actions.T @ rewards, rtol=1e-8, atol=1e-8)


@given(seed=seeds, n_before=st.integers(0, 60), n_same=horizons, dimension=sizes, window=windows)
@bounded
def test_what_left_the_window_leaves_no_trace(
    seed: int, n_before: int, n_same: int, dimension: int, window: int
) -> None:
    random = np.random.default_rng(seed)
    policy = SlidingWindowUCB(window, 0.3)
    same = [(random.normal(size=dimension), random.normal()) for _ in range(n_same + window)]
    estimates = list[Vector]()
    for n in (0, n_before):
        memory = policy.start(0, dimension, None)
        policy.restart(memory, 0)
        choice = policy.choose(memory, np.ones((1, dimension)), 0)
        for scale in 10.0 ** random.uniform(-4, 4, n):
            policy.learn(memory, scale * random.normal(size=dimension), choice, scale, 0)
        for action, reward in same:
            policy.learn(memory, action, choice, reward, 0)
        estimates.append(policy.estimate_in(memory))
    np.testing.assert_allclose(estimates[0], estimates[1], rtol=1e-8, atol=1e-8)


@given(
    seed=seeds,
    n_blocks=st.integers(1, 5),
    last=st.integers(1, 30),
    length=st.integers(1, 30),
    window=windows,
    dimension=sizes,
)
@bounded
def test_bob_with_one_window_is_sw_ucb_restarted_in_each_block(
    play_on: PlayOn, seed: int, n_blocks: int, last: int, length: int, window: int, dimension: int
) -> None:
    horizon = 1 + n_blocks * length + min(last, length)
    rounds = random_rounds(seed, horizon, 5, dimension)
    base = SlidingWindowUCB(window, 0.3, ridge=0.2)
    (bob,) = play_on(
        BanditOverBandit(base, np.array([window]), length, 0.4, 3.0), rounds, seed=seed
    )
    memory, arms = base.start(5, dimension, None), list[float]()
    for first in range(0, horizon, length):
        here = slice(first, first + length)
        rewards = rounds.rewards[here]
        n = len(rewards)
        means = np.tile(-np.arange(5.0), (n, 1))  # the regret of a round is its arm
        block = Rounds(rounds.actions[here], rounds.sizes[here], means, rewards)
        regret, marks = np.zeros(n), np.arange(first + 1, first + n + 1)
        base.restart(memory, 0)
        play(base, memory, block, luck_of(seed), first, marks, regret, np.zeros(2))
        arms.extend(np.diff(regret, prepend=0.0))
    np.testing.assert_array_equal(bob.arms, arms)
    if horizon % length:  # otherwise a new block is open, with nothing in it
        np.testing.assert_array_equal(base.estimate_in(bob.memory.base), base.estimate_in(memory))


@given(seed=seeds, horizon=horizons, dimension=sizes, window=windows)
@bounded
def test_arms_do_not_mix(
    play_on: PlayOn, seed: int, horizon: int, dimension: int, window: int
) -> None:
    """On basis vectors V is diagonal, and each coordinate is a shrunken mean of its own arm."""
    random = np.random.default_rng(seed)
    order = np.array([random.permutation(dimension) for _ in range(horizon)])
    rewards = random.normal(size=(horizon, dimension))
    policy = SlidingWindowUCB(window, 0.3, ridge=0.6)
    shuffled = Rounds(np.eye(dimension)[order], np.full(horizon, dimension), rewards, rewards)
    fixed = Rounds(np.eye(dimension)[None], np.full(1, dimension), rewards, rewards)
    for rounds, axis_of in (
        (shuffled, order),
        (fixed, np.tile(np.arange(dimension), (horizon, 1))),
    ):
        (stretch,) = play_on(policy, rounds, seed=seed)
        t = np.arange(horizon)
        axes, earned = axis_of[t, stretch.arms][-window:], rewards[t, stretch.arms][-window:]
        n = np.bincount(axes, minlength=dimension)
        sums = np.bincount(axes, weights=earned, minlength=dimension)
        estimate = policy.estimate_in(stretch.memory)
        np.testing.assert_allclose(estimate, sums / (0.6 + n), rtol=1e-8, atol=1e-10)
        if rounds is shuffled and horizon > 1:
            diagonal = np.diag(1 / (0.6 + n))
            got = inverse(stretch.memory.regression)
            np.testing.assert_allclose(got, diagonal, rtol=1e-8, atol=1e-10)


@given(seed=seeds, horizon=horizons, dimension=sizes, window=windows, is_fixed=st.booleans())
@bounded
def test_a_rotation_changes_no_choice(
    play_on: PlayOn, seed: int, horizon: int, dimension: int, window: int, is_fixed: bool
) -> None:
    rounds = random_rounds(seed, horizon, 6, dimension, is_fixed=is_fixed)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(dimension, dimension)))
    rotated = rounds._replace(actions=np.ascontiguousarray(rounds.actions @ rotation))
    policy = SlidingWindowUCB(window, 0.3)
    (plain,) = play_on(policy, rounds, seed=seed)
    (turned,) = play_on(policy, rotated, seed=seed)
    np.testing.assert_array_equal(plain.arms, turned.arms)
    wanted = policy.estimate_in(plain.memory) @ rotation
    np.testing.assert_allclose(policy.estimate_in(turned.memory), wanted, rtol=1e-8, atol=1e-8)


@given(seed=seeds, horizon=horizons, dimension=sizes, window=windows)
@bounded
def test_the_order_of_the_actions_does_not_matter(
    play_on: PlayOn, seed: int, horizon: int, dimension: int, window: int
) -> None:
    rounds = random_rounds(seed, horizon, 6, dimension)._replace(sizes=np.full(horizon, 6))
    random = np.random.default_rng(seed + 1)
    order = np.array([random.permutation(6) for _ in range(horizon)])
    t = np.arange(horizon)
    mixed = rounds._replace(
        actions=rounds.actions[t[:, None], order], rewards=rounds.rewards[t[:, None], order]
    )
    policy = SlidingWindowUCB(window, 0.3)
    (plain,) = play_on(policy, rounds, seed=seed)
    (moved,) = play_on(policy, mixed, seed=seed)
    np.testing.assert_array_equal(plain.arms, order[t, moved.arms])


@given(seed=seeds, horizon=horizons, window=windows, unit=powers_of_two, is_fixed=st.booleans())
@bounded
def test_the_unit_of_rewards_does_not_matter(
    play_on: PlayOn, seed: int, horizon: int, window: int, unit: float, is_fixed: bool
) -> None:
    """With a power of two as the unit, not even rounding differs."""
    rounds = random_rounds(seed, horizon, 4, 3, is_fixed=is_fixed)
    other = rounds._replace(rewards=unit * rounds.rewards)
    base = SlidingWindowUCB(window, 0.3)
    scaled = SlidingWindowUCB(window, 0.3 * unit, parameter_norm=unit)
    pairs: list[tuple[Any, Any]] = [(base, scaled)]
    if not is_fixed:
        windows_tried = np.array([1, 4, 16])
        pairs.append(
            (
                BanditOverBandit(base, windows_tried, 16, 0.3, 5.0),
                BanditOverBandit(scaled, windows_tried, 16, 0.3, 5.0 * unit),
            )
        )
    for one, another in pairs:
        (plain,) = play_on(one, rounds, seed=seed)
        (measured,) = play_on(another, other, seed=seed)
        np.testing.assert_array_equal(plain.arms, measured.arms)
        wanted = unit * one.estimate_in(plain.memory)
        np.testing.assert_array_equal(another.estimate_in(measured.memory), wanted)


@given(seed=seeds, horizon=horizons, window=windows, unit=powers_of_two, is_fixed=st.booleans())
@bounded
def test_the_unit_of_actions_does_not_matter(
    play_on: PlayOn, seed: int, horizon: int, window: int, unit: float, is_fixed: bool
) -> None:
    """With a power of two as the unit, not even rounding differs."""
    rounds = random_rounds(seed, horizon, 4, 3, is_fixed=is_fixed)
    other = rounds._replace(actions=unit * rounds.actions)
    policy = SlidingWindowUCB(window, 0.3, 2.0, 0.5, 0.25)
    scaled = SlidingWindowUCB(window, 0.3, 2.0 * unit, 0.5 / unit, 0.25 * unit * unit)
    (plain,) = play_on(policy, rounds, seed=seed)
    (measured,) = play_on(scaled, other, seed=seed)
    np.testing.assert_array_equal(plain.arms, measured.arms)
    wanted = policy.estimate_in(plain.memory) / unit
    np.testing.assert_array_equal(scaled.estimate_in(measured.memory), wanted)


@given(
    seed=seeds,
    horizon=horizons,
    n_arms=sizes,
    mixing=st.floats(0.01, 1.0),
    sharing=st.floats(1e-6, 1.0),
    size=st.floats(-1e4, 1e4),
)
@bounded
def test_weights_stay_probabilities(
    play_on: PlayOn,
    seed: int,
    horizon: int,
    n_arms: int,
    mixing: float,
    sharing: float,
    size: float,
) -> None:
    rounds = random_rounds(seed, horizon, n_arms, 2, is_fixed=True)
    rounds = rounds._replace(rewards=size * rounds.rewards)
    for policy in (Exp3(mixing), Exp3S(mixing, sharing)):
        for stretch in play_on(policy, rounds, seed=seed, size=10):
            chances = stretch.memory.chances
            assert abs(chances.sum() - 1.0) <= 1e-12
            assert chances.min() >= mixing / n_arms * (1 - 1e-12)
            assert all(np.isfinite(array).all() for array in arrays_in(stretch.memory))
