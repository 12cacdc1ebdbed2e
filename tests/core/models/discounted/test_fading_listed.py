"""Widths between bounds: the bounds hold, and choices are those of the layout that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.contract.records import arrays_in
from driftwise.core.linalg.narrow import multiply_thrice
from driftwise.core.models.discounted.fading import FadingAxes, FadingDense, begin_fading
from driftwise.core.models.discounted.fading_listed import FadingListed, begin_listed
from driftwise.core.models.discounted.width_bounds import growth
from tests.core.agents import bits

Array = NDArray[np.float64]
RIDGE = 0.7


def arms(kind: str, n_arms: int = 110, d: int = 5) -> Array:
    """Return a decision set that is easy, or not."""
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((n_arms, d)) / np.sqrt(d)
    if kind == "of one length":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    elif kind == "some thrice":
        rows[-30:] = np.tile(rows[:15], (2, 1))
    elif kind == "many lengths":
        rows *= 10.0 ** rng.uniform(-6, 3, (n_arms, 1))
    elif kind == "tiny":
        rows *= 1e-120
    elif kind == "giants among them":
        rows[[3, 44]] *= [[1e7], [1e40]]
    elif kind == "nothing in some":
        rows[::7] = 0.0
        rows[:, 2] = 0.0
    return np.asarray(rows)


KINDS = [
    "plain", "of one length", "some thrice", "many lengths", "tiny", "giants among them",
    "nothing in some",
]  # fmt: skip


def listed(rows: Array, ridge: float = RIDGE) -> FadingListed:
    memory = begin_listed(rows.shape[0], rows.shape[1], rows)
    assert isinstance(memory, FadingListed)
    memory.clear(ridge)
    return memory


def run_both(
    dense: Any, memory: Any, rewards: Array, arms: Any, discount: float, ridge: float,
    sandwich: int, radius: float, choices: Array, bounds: Array, sums: Array,
) -> None:  # fmt: skip
    """Play the same rounds by both layouts; arms are those of a list, or the chosen one where -1."""
    for t in range(rewards.shape[0]):
        one = dense.optimistic(memory.rows, radius, t)
        other = memory.optimistic(memory.rows, radius, t)
        choices[t, 0], choices[t, 1], choices[t, 2] = one
        choices[t, 3], choices[t, 4], choices[t, 5] = other
        arm = max(arms[t], one[0] if arms[t] < 0 else 0)
        dense.fade(memory.rows[arm], arm, rewards[t], discount, ridge, sandwich)
        memory.fade(memory.rows[arm], arm, rewards[t], discount, ridge, sandwich)
        bounds[t, 0] = memory.table[1, : memory.rows.shape[0]]
        bounds[t, 1] = dense.squared_widths(memory.rows)
        bounds[t, 2] = memory.table[2, : memory.rows.shape[0]]
        memory.sharpen(radius)
        choices[t, 6], choices[t, 7] = memory.verdict[4], memory.trial[0]
        sums[t, 0], sums[t, 1] = memory.table.sum(), memory.vectors.sum() + memory.verdict.sum()
        sums[t, 2], sums[t, 3] = memory.dense.units.sum(), memory.dense.pivots.sum()


run_fast = njit(run_both, error_model="numpy")


def both(
    rows: Array, rewards: Array, played: Any, discount: float, sandwich: int = 1,
    ridge: float = RIDGE, run: Any = run_fast,
) -> tuple[FadingListed, Array, Array]:  # fmt: skip
    """Return the memory after a run; by round, both choices, arms scored, f; and the bounds."""
    dense, memory = begin_fading(0, rows.shape[1], None), listed(rows, ridge)
    dense.clear(ridge)
    n = len(rewards)
    choices, bounds, sums = np.zeros((n, 8)), np.zeros((n, 3, len(rows))), np.zeros((n, 4))
    run(dense, memory, rewards, played, discount, ridge, sandwich, 0.8, choices, bounds, sums)
    bounds[:, 1] *= ridge / memory.scales[0] ** 2
    assert np.isfinite(sums).all()  # in every round: an agent with anything else is refused
    assert all(np.isfinite(array).all() for array in arrays_in(memory))
    return memory, choices, bounds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sandwich", [0, 1])
@pytest.mark.parametrize(
    ("discount", "ridge"), [(1e-9, 1.0), (0.3, 1e-6), (0.95, 0.7), (0.999, 50.0), (1.0, 0.01)]
)
def test_choices_are_those_of_the_layout_that_scores_all_arms(
    kind: str, sandwich: int, discount: float, ridge: float
) -> None:
    rng = np.random.default_rng(1)
    rewards, played = rng.standard_normal(800), rng.integers(-110, 110, 800).clip(min=-1)
    _, choices, bounds = both(arms(kind), rewards, played, discount, sandwich, ridge)
    assert choices[:, :3].tolist() == choices[:, 3:6].tolist()  # arm, score to the bit, ties
    squares = bounds[:, 1].clip(0.0, 1.0)  # no other is true, though giants leave no digit of it
    assert (bounds[:, 0] <= squares + 1e-30).all()
    assert (squares <= bounds[:, 2] + 1e-30).all()


@pytest.mark.parametrize("ridge", [5.0, 20.0, 40.0, 80.0])
def test_whole_numbers_leave_nothing_to_divide_by(ridge: float) -> None:
    """W less so much of I then loses rank exactly, not nearly."""
    rows = np.random.default_rng(9).choice([-1.0, 1.0], (110, 4))
    played = np.arange(60) % 110
    both(rows, np.ones(60), played, 1.0, ridge=ridge, run=run_both)  # warnings are errors


@pytest.mark.parametrize("discount", [1e-170, 1e-20, 0.1])
def test_a_discount_may_be_as_small_as_one_likes(discount: float) -> None:
    rewards = np.random.default_rng(10).standard_normal(12)
    for sandwich in (0, 1):
        both(arms("plain"), rewards, np.arange(12), discount, sandwich, run=run_both)


@pytest.mark.parametrize("discount", [0.5, 0.97, 1.0])
def test_the_floor_is_never_above_the_smallest_eigenvalue(discount: float) -> None:
    rows = arms("plain")
    rng = np.random.default_rng(2)
    rewards, played = rng.standard_normal(400), rng.integers(0, 110, 400)
    _, choices, _ = both(rows, rewards, played, discount)
    weights, highest = RIDGE * np.eye(5), 0.0
    for arm, floor in zip(played, choices[:, 7], strict=True):
        weights = discount**2 * weights + (1.0 - discount**2) * RIDGE * np.eye(5)
        weights += np.outer(rows[arm], rows[arm])
        smallest = np.linalg.eigvalsh(weights)[0]
        assert floor >= RIDGE * (1.0 - 1e-12)
        assert floor <= smallest * (1.0 + 1e-9)
        highest = max(highest, floor / smallest)
    assert highest > 0.8  # and not far below it all the time


@pytest.mark.parametrize("ridge", [1.0, 1e-3])
def test_few_arms_are_scored(ridge: float) -> None:
    """Without that the layout would be of no use: it is as right when it scores all of them."""
    rewards = np.random.default_rng(3).standard_normal(1000)
    _, choices, _ = both(arms("plain", 1000, 20), rewards, np.full(1000, -1), 0.998, 1, ridge)
    assert choices[:, :3].tolist() == choices[:, 3:6].tolist()
    assert choices[:, 6].mean() < 40


def test_another_radius_is_served_without_a_trace() -> None:
    rows = arms("plain")
    dense, memory = begin_fading(0, 5, None), listed(rows)
    dense.clear(RIDGE)
    rng = np.random.default_rng(4)
    for t in range(120):
        arm, reward = int(rng.integers(110)), float(rng.standard_normal())
        for each in (dense, memory):
            each.fade(rows[arm], arm, reward, 0.97, RIDGE, 1)
        if t % 3:
            memory.sharpen(0.8)
        before = [array.tobytes() for array in arrays_in(memory)]
        for radius in (0.0, 0.1, 0.8, 30.0):
            assert memory.optimistic(rows, radius, t) == dense.optimistic(rows, radius, t)
        assert before == [array.tobytes() for array in arrays_in(memory)]


def test_equals_share_the_choice() -> None:
    rows = arms("some thrice")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    memory = listed(rows)
    memory.fade(rows[2], 2, 3.0, 0.9, RIDGE, 1)
    memory.sharpen(0.01)  # so that arms like the one that was played come first
    chosen = [memory.optimistic(rows, 0.01, luck)[::2] for luck in range(1500)]
    assert {ties for _, ties in chosen} == {3}
    found, counts = np.unique([arm for arm, _ in chosen], return_counts=True)
    assert found.tolist() == [2, 82, 97]
    assert np.abs(counts - 500).max() < 4.5 * np.sqrt(1500 * 2 / 9)


@given(st.integers(0, 10**6), st.floats(0.05, 1.0), st.integers(1, 7), st.booleans())
@settings(max_examples=200, deadline=None)
def test_topping_up_stays_within_its_bounds(
    seed: int, discount: float, d: int, is_squared: bool
) -> None:
    """Over all x at once: the least and largest generalised eigenvalues."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((int(rng.integers(1, 40)), d)) * 10.0 ** rng.uniform(-2, 2)
    weights = discount ** np.arange(len(x))
    eye = RIDGE * np.eye(d)
    v = eye + (x.T * weights) @ x
    other = discount**2 if is_squared else discount
    w = eye + (x.T * (weights**2 if is_squared else weights)) @ x
    topped_v = discount * v + (1.0 - discount) * eye
    topped_w = other * w + (1.0 - other) * eye
    before = np.linalg.solve(v, np.linalg.solve(v, w).T)
    after = np.linalg.solve(topped_v, np.linalg.solve(topped_v, topped_w).T)
    ratios = np.linalg.eigvals(np.linalg.solve(before, after)).real
    for share in (1.0, RIDGE / np.linalg.eigvalsh(w)[0]):
        low, high = growth(discount, other, share)
        assert low <= ratios.min() * (1.0 + 1e-7)
        assert ratios.max() <= high * (1.0 + 1e-7)


def test_topping_up_changes_little_where_much_is_known() -> None:
    low, high = growth(0.998, 0.998**2, 0.1)
    assert 1.0 - 0.0005 < low < high < 1.0 + 0.001
    assert growth(1.0, 1.0, 1.0) == (1.0, 1.0)


def test_layouts_are_chosen_by_what_pays() -> None:
    assert isinstance(begin_listed(110, 5, arms("plain")), FadingListed)
    assert isinstance(begin_listed(20, 5, arms("plain", 20)), FadingDense)
    assert isinstance(begin_listed(110, 5, None), FadingDense)
    assert isinstance(begin_listed(120, 120, np.eye(120)), FadingAxes)


def test_compiled_and_interpreted_have_the_same_bits() -> None:
    rows = arms("plain", 104)
    rng = np.random.default_rng(5)
    rewards, played = rng.standard_normal(40), rng.integers(-104, 104, 40).clip(min=-1)
    left = []
    for run in (run_both, run_fast):
        memory, choices, bounds = both(rows, rewards, played, 0.97, run=run)
        arrays = [*arrays_in(memory), choices, bounds]
        left.append([array.tobytes() for array in arrays])
    assert left[0] == left[1]


def test_three_sums_at_once() -> None:
    rng = np.random.default_rng(6)
    for d in (1, 3, 4, 6, 11):
        rows, weights = (
            rng.standard_normal(shape).astype(np.float32) for shape in ((d, 20), (3, d))
        )
        sums = np.full((3, 20), np.nan, np.float32)
        multiply_thrice(rows, weights, *sums)
        np.testing.assert_allclose(sums, weights.astype(float) @ rows.astype(float), atol=1e-5)


@pytest.mark.parametrize(
    ("cls", "is_interpreted"), [(dw.DiscountedLinUCB, False), (dw.WeightedUCB, True)]
)
def test_an_agent_on_many_arms_goes_on_exactly(
    cls: Any, is_interpreted: bool, tmp_path: Path
) -> None:
    rows = arms("plain", 100)
    rng = np.random.default_rng(8)
    policy = cls(discount=0.97, noise=0.3)
    agent = dw.Agent(policy, decision_set=rows, seed=2, is_interpreted=is_interpreted)
    for _ in range(20):
        pending = agent.choose()
        agent.save(tmp_path / "agent")
        loaded = dw.Agent.load(tmp_path / "agent")
        assert bits(loaded) == bits(agent)
        agent.learn(agent.choose(), float(rng.standard_normal()))
    pending = agent.choose()
    agent.save(tmp_path / "agent")
    loaded = dw.Agent.load(tmp_path / "agent")
    for each in (agent, loaded):
        each.learn(pending, 0.7)
        for reward in range(20):
            each.learn(each.choose(), float(reward % 3))
    assert bits(loaded) == bits(agent)
    assert isinstance(agent.memory.regression, FadingListed)
