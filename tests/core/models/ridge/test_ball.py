"""The best point of the unit ball: against enumeration, against eigenvalues, against theory."""

import inspect
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.contract.unit_ball import NoRowsError
from driftwise.core.engine.starting import started
from driftwise.core.linalg.eigen import write_axes
from driftwise.core.models.ridge.ball import Ball
from driftwise.core.models.ridge.ellipsoid import sampled
from driftwise.core.models.ridge.regression import Dense, begin
from driftwise.registry import all_policies

Array = NDArray[np.float64]


def factors(matrix: Array) -> tuple[Array, Array]:
    """U (upper triangular, ones on its diagonal) and D of U D U'."""
    rest, d = matrix.copy(), len(matrix)
    upper, pivots = np.eye(d), np.zeros(d)
    for j in range(d - 1, -1, -1):
        pivots[j] = rest[j, j]
        upper[:j, j] = rest[:j, j] / pivots[j]
        rest[:j, :j] -= pivots[j] * np.outer(upper[:j, j], upper[:j, j])
    return upper, pivots


def layout(inverse: Array, estimate: Array) -> Ball:
    upper, pivots = factors(inverse)
    d = len(estimate)
    return Ball(Dense(upper.T.copy(), pivots, estimate, np.zeros((2, d)), np.ones(2)))


def optimum(inverse: Array, estimate: Array, radius: float) -> tuple[Array, float]:
    """What the package finds: the point and its value."""
    row = np.full((1, len(estimate)), 7.0)
    arm, value, ties = layout(inverse, estimate).optimistic(row, radius, 0)
    assert (arm, ties) == (0, 1)
    return row[0], value


def values_of(points: Array, inverse: Array, estimate: Array, radius: float) -> Array:
    squares = np.einsum("ki,ij,kj->k", points, inverse, points)
    result: Array = points @ estimate + radius * np.sqrt(np.maximum(squares, 0.0))
    return result


def reference(inverse: Array, estimate: Array, radius: float) -> Array:
    """The best point by NumPy's eigenvalues and bisection for the multiplier."""
    eigenvalues, vectors = np.linalg.eigh(inverse)
    along, top = vectors.T @ estimate, eigenvalues[-1]
    gaps = top - eigenvalues
    lead = gaps <= 1e-12 * top
    # The farthest point but for the leading directions, if the multiplier is the top eigenvalue.
    step = np.where(lead, 0.0, eigenvalues * along / np.where(lead, 1.0, gaps))
    room = radius**2 - float(np.sum(step * step / eigenvalues))
    if np.abs(along[lead]).max() <= 1e-12 * np.linalg.norm(along) and room > 0.0:
        step[-1] = math.sqrt(top * room)  # the hard case: one way or the other
        farthest = along + step
    else:
        high = float(np.linalg.norm(np.sqrt(eigenvalues) * along)) / radius
        low = high * 1e-40
        for _ in range(300):
            middle = math.sqrt(low * high)
            total = float(np.sum(eigenvalues * along * along / (gaps + middle) ** 2))
            low, high = (middle, high) if total > radius**2 else (low, middle)
        farthest = along * (top + high) / (gaps + high)
    point: Array = vectors @ (farthest / np.linalg.norm(farthest))
    return point


def drawn(seed: int, d: int, condition: float) -> tuple[Array, Array, float]:
    """An ellipsoid with axes of any length in any direction, an estimate, a radius."""
    rng = np.random.default_rng(seed)
    eigenvalues = np.exp(rng.uniform(-math.log(condition), 0.0, d))
    if rng.random() < 0.3:
        eigenvalues[rng.integers(d)] = eigenvalues.max()  # a leading plane instead of a line
    vectors = np.linalg.qr(rng.standard_normal((d, d)))[0]
    inverse = (vectors * eigenvalues) @ vectors.T
    along = rng.standard_normal(d) * 10.0 ** rng.uniform(-9.0, 2.0, d)
    if rng.random() < 0.3:
        along[eigenvalues == eigenvalues.max()] = 0.0
        along[np.argmin(eigenvalues)] += 1.0
    return (inverse + inverse.T) / 2.0, vectors @ along, float(10.0 ** rng.uniform(-4.0, 2.0))


@pytest.mark.parametrize("seed", range(12))
def test_no_direction_in_the_plane_is_better(seed: int) -> None:
    inverse, estimate, radius = drawn(seed, 2, condition=100.0)
    angles = np.linspace(0.0, 2.0 * math.pi, 200_001)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    best = float(values_of(circle, inverse, estimate, radius).max())
    point, value = optimum(inverse, estimate, radius)
    assert np.linalg.norm(point) == pytest.approx(1.0, abs=1e-14)
    assert best <= value * (1.0 + 1e-12)
    assert value == pytest.approx(best, rel=1e-8)  # what is missed between two directions


@pytest.mark.parametrize("seed", range(12))
def test_no_direction_in_space_is_better(seed: int) -> None:
    inverse, estimate, radius = drawn(100 + seed, 3, condition=100.0)
    n = 100_000
    height = 1.0 - 2.0 * (np.arange(n) + 0.5) / n
    angles = math.pi * (1.0 + math.sqrt(5.0)) * np.arange(n)
    ring = np.sqrt(1.0 - height * height)
    sphere = np.stack([ring * np.cos(angles), ring * np.sin(angles), height], axis=1)
    best = sphere[values_of(sphere, inverse, estimate, radius).argmax()]
    # And once more around the best, with steps of 1e-4.
    steps = np.stack(np.meshgrid(*[np.linspace(-0.02, 0.02, 401)] * 2), axis=-1).reshape(-1, 2)
    patch = best + steps @ np.linalg.svd(best[None])[2][1:]
    patch /= np.linalg.norm(patch, axis=1)[:, None]
    enumerated = float(values_of(patch, inverse, estimate, radius).max())
    _, value = optimum(inverse, estimate, radius)
    assert enumerated <= value * (1.0 + 1e-12)
    assert value == pytest.approx(enumerated, rel=1e-8)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.floats(0.0, 12.0))
def test_the_value_is_that_of_the_eigenvalues(seed: int, d: int, digits: float) -> None:
    inverse, estimate, radius = drawn(seed, d, condition=10.0**digits)
    wanted = reference(inverse, estimate, radius)
    point, value = optimum(inverse, estimate, radius)
    (best, got) = values_of(np.stack([wanted, point]), inverse, estimate, radius)
    assert got >= best * (1.0 - 1e-9)
    assert value == pytest.approx(got, rel=1e-9)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.floats(0.0, 6.0))
def test_the_point_satisfies_the_conditions_of_lagrange(seed: int, d: int, digits: float) -> None:
    """The gradient is value * x, and value * I - (radius / width) V^-1 has no negative eigenvalue.

    The second condition tells the largest of all stationary points from the others.
    """
    inverse, estimate, radius = drawn(seed, d, condition=10.0**digits)
    point, value = optimum(inverse, estimate, radius)
    width = math.sqrt(point @ inverse @ point)
    gradient = estimate + radius / width * (inverse @ point)
    assert np.linalg.norm(gradient - value * point) <= 1e-6 * value
    largest = np.linalg.eigvalsh(inverse)[-1]
    assert value >= radius / width * largest * (1.0 - 1e-6)


@pytest.mark.parametrize("radius", [0.4, 0.5, 2.0])
def test_an_estimate_without_a_part_along_the_longest_axis(radius: float) -> None:
    """The hard case, worked out by hand for V^-1 = diag(1, 1/4), estimate (0, -3/4).

    The sum of the secular equation at the leading eigenvalue is 1/4 (3/4)^2 / (3/4)^2 = 1/4, so
    that the farthest point leaves the axis of the estimate if the radius exceeds 1/2.
    """
    point, value = optimum(np.diag([1.0, 0.25]), np.array([0.0, -0.75]), radius)
    # The farthest point is (sqrt(radius^2 - 1/4), -1) then, and otherwise (0, -3/4 - radius / 2).
    away = math.sqrt(max(radius * radius - 0.25, 0.0))
    distance = math.hypot(away, 1.0) if away > 0.0 else 0.75 + radius / 2.0
    assert value == pytest.approx(distance, rel=1e-12)
    assert point == pytest.approx(np.array([away, -1.0]) / math.hypot(away, 1.0), abs=1e-4)
    assert point[0] >= 0.0  # of two mirror images always the same


@pytest.mark.parametrize("d", [1, 2, 7])
def test_nothing_learnt_and_nothing_hoped_for(d: int) -> None:
    for radius in (0.0, 3.0):
        point, value = optimum(np.eye(d) / 4.0, np.zeros(d), radius)
        assert point.tolist() == np.eye(d)[0].tolist()
        assert value == radius / 2.0
    estimate = np.arange(1.0, d + 1.0)
    point, value = optimum(np.eye(d), estimate, 0.0)
    assert point == pytest.approx(estimate / np.linalg.norm(estimate), rel=1e-12)
    assert value == pytest.approx(np.linalg.norm(estimate), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
def test_scales_do_not_matter(scale: float) -> None:
    inverse, estimate, radius = drawn(5, 4, condition=1000.0)
    point, value = optimum(inverse, estimate, radius)
    moved, larger = optimum(inverse, estimate * scale, radius * scale)
    assert moved == pytest.approx(point, rel=1e-9)
    assert larger == pytest.approx(value * scale, rel=1e-9)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.floats(0.0, 14.0))
def test_axes_are_orthogonal_and_make_up_the_matrix(seed: int, d: int, digits: float) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.standard_normal((d, d)), 1) / d + np.eye(d)
    pivots = 10.0 ** -rng.uniform(0.0, digits, d)
    axes = np.empty((d, d))
    write_axes(upper.T.copy(), pivots, axes)
    matrix = (upper * pivots) @ upper.T
    assert axes.T @ axes == pytest.approx(matrix, rel=1e-9, abs=1e-12 * matrix.max())
    lengths = np.linalg.norm(axes, axis=1)
    cosines = axes @ axes.T / np.outer(lengths, lengths)
    assert cosines == pytest.approx(np.eye(d), abs=1e-11)
    # Also the smallest keep their digits: together they make up the determinant.
    assert np.log(lengths).sum() == pytest.approx(np.log(pivots).sum() / 2.0, rel=1e-9, abs=1e-9)


def test_thompson_sampling_plays_the_direction_of_its_draw() -> None:
    inverse, estimate, _ = drawn(3, 4, condition=50.0)
    ball = layout(inverse, estimate)
    for luck in range(5):
        row = np.zeros((1, 4))
        arm, value, ties = ball.randomised(row, 0.7, luck)
        parameter = sampled(ball.dense.root, ball.dense.pivots, estimate, 0.7, luck)
        length = float(np.linalg.norm(parameter))
        assert (arm, ties) == (0, 1)
        assert row[0] == pytest.approx(parameter / length, rel=1e-12)
        assert value == pytest.approx(length, rel=1e-12)


def test_choosing_writes_the_row_and_nothing_else() -> None:
    ball = layout(*drawn(3, 4, condition=50.0)[:2])
    before = [array.tobytes() for array in ball.dense]
    for choose in (ball.optimistic, ball.randomised):
        choose(np.zeros((1, 4)), 0.5, 1)
        assert [array.tobytes() for array in ball.dense] == before


FACTS: dict[str, Any] = {
    "horizon": 200,
    "dimension": 3,
    "n_arms": 3,
    "noise": 0.1,
    "variation": 2.0,
    "change_points": [8],
}
PLAYERS = {"SlidingWindowUCB", "LinUCB", "LinTS", "RestartUCB", "OracleRestart", "BanditOverBandit"}


@pytest.mark.parametrize("name", all_policies())
def test_a_policy_plays_the_ball_or_says_that_it_cannot(name: str) -> None:
    maker = all_policies()[name].tuned
    asked = inspect.signature(maker).parameters
    policy = maker(**{fact: value for fact, value in FACTS.items() if fact in asked})
    try:
        agent = dw.Agent(policy, decision_set=dw.UnitBall(3), is_interpreted=True)
    except ValueError as error:
        assert str(error) == (  # noqa: PT017  # both ways are right, which is the point
            f"{name} chooses among rows, so the decision set must have rows, "
            f"got UnitBall(dimension=3)"
        )
        assert name not in PLAYERS
        return
    parameter = np.array([0.6, -0.5, 0.4])
    for _ in range(60):
        decision = agent.choose()
        assert np.linalg.norm(decision.action) == pytest.approx(1.0, abs=1e-12)
        agent.learn(decision, float(decision.action @ parameter))
    if name in PLAYERS:  # others may still explore
        assert agent.choose().action @ parameter > 0.5 * np.linalg.norm(parameter)


@pytest.mark.parametrize("name", ["Uniform", "Exp3", "DiscountedLinUCB"])
def test_some_are_refused(name: str) -> None:
    maker = all_policies()[name].tuned
    asked = inspect.signature(maker).parameters
    policy = maker(**{fact: value for fact, value in FACTS.items() if fact in asked})
    with pytest.raises(ValueError, match=f"{name} chooses among rows"):
        started(policy, 1, 3, dw.UnitBall(3))


def test_a_ball_is_no_array() -> None:
    assert isinstance(begin(1, 3, dw.UnitBall(3)), Ball)
    with pytest.raises(NoRowsError, match=r"must have rows to be used as an array, got UnitBall"):
        np.asarray(dw.UnitBall(3))
    with pytest.raises(ValueError, match="dimension must be at least 1, got 0"):
        dw.UnitBall(0)
    with pytest.raises(TypeError, match=r"dimension must be an integer, got 2\.5"):
        dw.UnitBall(2.5)  # type: ignore[arg-type]  # the mistake under test
    assert dw.UnitBall(3) == dw.UnitBall(3) != dw.UnitBall(4)
