"""The windowed regression equals a direct solve, whatever happens to the scale of the features."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.core.compiler.borrowing import borrowed
from driftwise.core.compiler.compiled import compiled
from driftwise.core.models.ridge.regression import Axes, Dense, Listed, TwoArms, begin
from driftwise.core.models.ridge.window import Ring, ring

Array = NDArray[np.float64]
TOLERANCE = 1e-8


@compiled
def feed(
    window_of: Any, model: Any, actions: Any, arms: Any, rewards: Any, size: int, ridge: float
) -> None:
    window_of, model, actions = borrowed(window_of), borrowed(model), borrowed(actions)
    for t in range(rewards.size):
        window_of.push(model, actions[t], arms[t], rewards[t], size, ridge)


@compiled
def begin_again(window_of: Any, model: Any, ridge: float) -> None:
    window_of.empty()
    model.clear(ridge)


class Twin:
    """Feed the package round by round; solve from scratch on demand."""

    def __init__(
        self, window: int, dimension: int, rows: Array | None = None, ridge: float = 1.0
    ) -> None:
        self.window, self.rows, self.ridge = window, rows, ridge
        n_arms = 0 if rows is None else len(rows)
        self.model = begin(n_arms, dimension, rows)
        self.ring: Ring = ring(window, dimension, self.model)
        begin_again(self.ring, self.model, ridge)
        self.actions = np.empty((0, dimension))
        self.rewards = np.empty(0)

    def feed(self, actions: Array, arms: NDArray[np.int64], rewards: Array) -> None:
        feed(self.ring, self.model, actions, arms, rewards, self.window, self.ridge)
        self.actions = np.vstack([self.actions, actions])[-self.window :]
        self.rewards = np.concatenate([self.rewards, rewards])[-self.window :]

    def solve(self) -> Array:
        """The ridge solution, as a least-squares problem: half as ill-conditioned as V."""
        tall = np.vstack([self.actions, math.sqrt(self.ridge) * np.eye(self.actions.shape[1])])
        side = np.concatenate([self.rewards, np.zeros(self.actions.shape[1])])
        solution: Array = np.linalg.lstsq(tall, side, rcond=None)[0]
        return solution

    def error(self) -> float:
        wanted = self.solve()
        return float(np.linalg.norm(self.model.solution() - wanted) / np.linalg.norm(wanted))

    def width_error(self, probe: Array) -> float:
        tall = np.vstack([self.actions, math.sqrt(self.ridge) * np.eye(self.actions.shape[1])])
        wanted = float(np.linalg.norm(np.linalg.solve(np.linalg.qr(tall).R.T, probe)))
        assert isinstance(self.model, Dense)
        white = self.model.root @ probe + probe
        return abs(math.sqrt(float(white**2 @ self.model.pivots)) / wanted - 1.0)


def scales(kind: str, horizon: int, window: int, rng: np.random.Generator) -> Array:
    """Lengths of actions that jump by a million, up or down, inside one window."""
    if kind == "even":
        return np.ones(horizon)
    if kind == "rare giants":
        return np.where(rng.random(horizon) < 2 / window, 1e6, 1.0)
    if kind == "rare giants among dwarfs":
        return np.where(rng.random(horizon) < 2 / window, 1e3, 1e-3)
    if kind == "slow decay":  # every removal leaves a sixth: no single step is alarming
        return np.asarray(6.0 ** (-0.5 * (np.arange(horizon) % 25) + 6))
    out, t, k = np.ones(horizon), 0, 0
    while t < horizon:  # jumps
        span = int(rng.integers(1, 2 * window + 2))
        out[t : t + span] = (1.0, 1e6, 1e-3, 1e3)[k % 4]
        t, k = t + span, k + 1
    return out


KINDS = ["even", "rare giants", "rare giants among dwarfs", "slow decay", "jumps"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("window", [1, 20, 300])
@pytest.mark.parametrize("dimension", [1, 2, 5, 20])
def test_dense_is_exact_at_any_round(kind: str, window: int, dimension: int) -> None:
    rng = np.random.default_rng(dimension * 1000 + window)
    horizon = 12 * window + 200
    actions = rng.standard_normal((horizon, dimension)) / math.sqrt(dimension)
    actions *= scales(kind, horizon, window, rng)[:, None]
    rewards = actions @ rng.standard_normal(dimension) + 0.1 * rng.standard_normal(horizon)
    twin, done = Twin(window, dimension), 0
    for stop in np.unique(rng.integers(1, horizon, 40 if window < 300 else 15)):
        part = slice(done, stop)
        twin.feed(actions[part], np.zeros(stop - done, np.int64), rewards[part])
        done = stop
        assert twin.error() < TOLERANCE
        assert twin.width_error(rng.standard_normal(dimension)) < TOLERANCE


@pytest.mark.parametrize("layout", [Axes, Listed])
@pytest.mark.parametrize("window", [1, 7, 60])
@pytest.mark.parametrize("spread", [1.0, 1e3])  # longest over shortest action, up and down
def test_fixed_sets_are_exact_at_any_round(layout: type[Any], window: int, spread: float) -> None:
    rng = np.random.default_rng(window)
    rows = np.vstack([np.eye(4), spread * np.eye(4), np.eye(4) / spread])
    if layout is Listed:
        rows[:, 0] += 0.3 * rows[:, 1] + 0.1 * np.abs(rows).sum(axis=1)
    twin = Twin(window, 4, rows)
    assert isinstance(twin.model, layout)
    parameter = rng.standard_normal(4)
    for _ in range(60):
        # A few rounds of each arm, so that whole scales leave the window together.
        arms = np.repeat(rng.integers(len(rows), size=5), int(rng.integers(1, 2 * window + 2)))
        rewards = rows[arms] @ parameter + 0.1 * rng.standard_normal(len(arms))
        twin.feed(rows[arms], arms, rewards)
        assert twin.error() < TOLERANCE
        arm, bound, _ = twin.model.optimistic(rows, 0.5, 0)
        tall = np.vstack([twin.actions, np.eye(4)])
        widths = np.linalg.norm(np.linalg.solve(np.linalg.qr(tall).R.T, rows.T), axis=0)
        means = rows @ twin.solve()
        if isinstance(twin.model, Listed):  # arm by arm, whatever came and went
            scale = np.linalg.norm(rows, axis=1) * np.linalg.norm(twin.solve())
            assert (np.abs(twin.model.table[0] - means) <= TOLERANCE * scale).all()
            assert np.sqrt(twin.model.table[1]) == pytest.approx(widths, rel=1e-7)
        wanted = means + 0.5 * widths
        assert bound == pytest.approx(wanted.max(), rel=1e-7)
        assert wanted[arm] == pytest.approx(wanted.max(), rel=1e-7)


@pytest.mark.parametrize("sizes", [(1.0, 1e-6), (1e6, 1e-6), (1.0, 1e6, 1.0, 1e-6)])
@pytest.mark.parametrize(("window", "ridge"), [(1, 1.0), (3, 1.0), (3, 1e3)])
def test_rewards_that_do_not_shrink_with_their_features(
    sizes: tuple[float, ...], window: int, ridge: float
) -> None:
    """Then it is the sums of x y that shrink; one start in many is unlucky, so many are tried."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scale = np.repeat(sizes, window)
        twin = Twin(window, 2, ridge=ridge)
        actions = rng.standard_normal((len(scale), 2)) * scale[:, None]
        twin.feed(actions, np.zeros(len(scale), np.int64), rng.standard_normal(len(scale)))
        # V is well-conditioned here, and so the best reference.
        gram = ridge * np.eye(2) + twin.actions.T @ twin.actions
        wanted = np.linalg.solve(gram, twin.actions.T @ twin.rewards)
        error = np.linalg.norm(twin.model.solution() - wanted) / np.linalg.norm(wanted)
        assert error < TOLERANCE


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    window=st.integers(1, 12),
    actions=st.lists(
        st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.integers(-3, 3), st.floats(-5, 5)),
        min_size=1,
        max_size=60,
    ),
)
def test_any_sequence_agrees_with_exact_arithmetic(
    window: int, actions: list[tuple[float, float, int, float]]
) -> None:
    """Rational numbers have no rounding: the truth itself is what the estimate is held against."""
    features = np.array([(x * 10.0**power, y * 10.0**power) for x, y, power, _ in actions])
    rewards = np.array([reward for *_, reward in actions])
    twin = Twin(window, 2)
    twin.feed(features, np.zeros(len(rewards), np.int64), rewards)
    a, b, c, u, v = Fraction(1), Fraction(0), Fraction(1), Fraction(0), Fraction(0)
    for (x, y), reward in zip(features[-window:], rewards[-window:], strict=True):
        p, q, r = Fraction(x), Fraction(y), Fraction(reward)
        a, b, c, u, v = a + p * p, b + p * q, c + q * q, u + p * r, v + q * r
    determinant = a * c - b * b
    wanted = np.array([float((c * u - b * v) / determinant), float((a * v - b * u) / determinant)])
    # Where the answer itself is the difference of large numbers, its size is not the measure.
    size = max(float(np.linalg.norm(wanted)), float(np.abs(rewards).max()) * 1e-3, 1e-12)
    assert np.linalg.norm(twin.model.solution() - wanted) <= TOLERANCE * size


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6), window=st.integers(1, 40), jump=st.sampled_from([1e-9, 1.0, 1e9])
)
def test_rewards_may_jump_too(seed: int, window: int, jump: float) -> None:
    rng = np.random.default_rng(seed)
    actions = rng.standard_normal((4 * window + 50, 3))
    rewards = rng.standard_normal(len(actions))
    rewards[: 2 * window] *= jump
    twin = Twin(window, 3)
    twin.feed(actions, np.zeros(len(rewards), np.int64), rewards)
    assert twin.error() < TOLERANCE


def test_cost_does_not_grow_with_the_window() -> None:
    """Counted in rebuilds, which are what would cost: one in eight windows, nothing else."""
    rng = np.random.default_rng(0)
    for window in (10, 100, 1000):
        twin, rebuilds, age = Twin(window, 3), 0, 0
        for _ in range(24 * window // 5):
            actions = rng.standard_normal((5, 3)) / 3.0
            twin.feed(actions, np.zeros(5, np.int64), rng.standard_normal(5))
            rebuilds += int(twin.ring.clock[2] < age)
            age = int(twin.ring.clock[2])
        assert rebuilds <= 24 / 8


def test_a_layout_is_chosen_by_the_decision_set() -> None:
    assert isinstance(begin(2, 2, np.eye(2)), TwoArms)
    assert type(begin(2, 2, np.eye(2)[::-1])) is Axes
    assert type(begin(2, 3, np.eye(3)[:2])) is Axes
    assert isinstance(begin(3, 2, np.array([[0.0, -2.0], [0.0, 0.0], [3.0, 0.0]])), Axes)
    assert isinstance(begin(2, 2, np.array([[1.0, 0.0], [1.0, 1.0]])), Listed)
    assert isinstance(begin(0, 2, None), Dense)


@settings(max_examples=60, deadline=None)  # the first one compiles
@given(
    rounds=st.lists(st.tuples(st.integers(0, 1), st.floats(-1e9, 1e9)), min_size=1, max_size=200),
    window=st.integers(1, 60),
    ridge=st.sampled_from([1.0, 0.01, 1e-5, 0.3, 7.0]),
)
def test_two_arms_are_two_axes_to_the_bit(
    rounds: list[tuple[int, float]], window: int, ridge: float
) -> None:
    two = begin(2, 2, np.eye(2))
    axes = Axes(np.arange(2, dtype=np.uint32), np.ones(2), np.zeros((3, 2)))
    arms, rewards = np.array([arm for arm, _ in rounds]), np.array([y for _, y in rounds])
    choices = []
    for model in (two, axes):
        ring_of = ring(window, 2, model)
        begin_again(ring_of, model, ridge)
        feed(ring_of, model, np.eye(2)[arms], arms, rewards, window, ridge)
        choices.append(model.optimistic(np.eye(2), 0.3, 5))
    assert two.sums.tobytes() == axes.sums.tobytes()  # type: ignore[union-attr]  # both on axes
    assert choices[0] == choices[1]


def test_ties_of_two_arms_are_broken_by_luck_as_those_of_any_number_are() -> None:
    two: Any = begin(2, 2, np.eye(2))
    axes = Axes(*two)
    two.sums[:] = [[4.0, 4.0], [2.0, 2.0], [4.0, 4.0]]
    chosen = [two.optimistic(np.eye(2), 0.3, luck) for luck in range(100)]
    assert chosen == [axes.optimistic(np.eye(2), 0.3, luck) for luck in range(100)]
    assert {choice[0] for choice in chosen} == {0, 1}
    assert {choice[2] for choice in chosen} == {2}
