"""The base class: its arguments, what it asks of a world's author, and how it says no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.worlds import LinearWorld


class Scripted(LinearWorld):
    """A world that yields the blocks it is given, right or wrong."""

    def __init__(self, blocks: list[Any], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.blocks = blocks

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        yield from self.blocks


def test_masked_parameters_are_refused() -> None:
    block = np.ma.array(np.ones((3, 2)), mask=[[True, False], [False, False], [True, False]])
    world = Scripted([block], horizon=3, decision_set=np.eye(2))
    with pytest.raises(ValueError, match="path must yield no masked entries, got 2"):
        list(world.rounds(0, 3))


def test_a_world_needs_a_path() -> None:
    with pytest.raises(TypeError, match="path"):
        LinearWorld(horizon=3, decision_set=np.eye(2))  # type: ignore[abstract]  # under test


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon must be at least 1 round, got 0"),
        ({"noise": -0.5}, "noise must be at least 0, got -0.5"),
        (
            {"n_arms": 2, "dimension": 2},
            "n_arms and dimension must be left out when decision_set is given, got 2 and 2",
        ),
        (
            {"decision_set": None, "n_arms": 2},
            "decision_set must be given, or both n_arms and dimension if it changes, "
            "got n_arms 2 and dimension None",
        ),
        ({"decision_set": [[1.0, np.nan]]}, "decision_set must be finite, got nan at index (0, 1)"),
        ({"decision_set": [1.0, 2.0]}, "decision_set must have shape (any, any), got (2,)"),
        ({"decision_set": np.ones((0, 2))}, "decision_set must not be empty, got shape (0, 2)"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        Scripted([], **{"horizon": 3, "decision_set": np.eye(2)} | arguments)
    assert str(error.value) == message


def test_changing_decision_sets_need_offers() -> None:
    with pytest.raises(
        TypeError, match=r"^decision_set must be given to a world that does not def"
    ):
        Scripted([], horizon=3, n_arms=2, dimension=2)
    fixed = Scripted([], horizon=3, decision_set=np.eye(2))
    with pytest.raises(NotImplementedError, match="decision set of Scripted never changes"):
        fixed.offers(seed=0, size=1)


ROW = np.array([[0.5, 0.25]])


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([ROW], "path must yield 3 rounds in total, got 1"),
        ([], "path must yield 3 rounds in total, got 0"),
        ([ROW] * 4, "path must yield 3 rounds in total, got 4 or more"),
        ([np.ones((3, 2))], "path must yield blocks of shape (1 to 2, 2), got (3, 2)"),
        ([ROW, ROW[:0]], "path must yield blocks of shape (1 to 2, 2), got (0, 2)"),
        ([ROW, np.ones((1, 3))], "path must yield blocks of shape (1 to 2, 2), got (1, 3)"),
        ([ROW[0]], "path must yield blocks of shape (1 to 2, 2), got (2,)"),
        (
            [ROW, [[0.0, 1.0], [0.0, np.nan]]],
            "path must yield finite parameters of magnitude up to 1e+60, got nan in round 3",
        ),
        (
            [ROW, [[-np.inf, 1.0]]],
            "path must yield finite parameters of magnitude up to 1e+60, got -inf in round 2",
        ),
    ],
)
def test_a_wrong_path_is_refused(blocks: list[Any], message: str) -> None:
    world = Scripted(blocks, horizon=3, decision_set=np.eye(2))
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        list(world.rounds(seed=0, size=2))
    assert str(error.value) == message


def test_a_buffer_that_its_author_uses_twice_does_no_harm() -> None:
    class OneBuffer(LinearWorld):
        def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
            buffer = np.empty((1, 2))
            for t in self.round_numbers(1):
                buffer[:] = t
                yield buffer

    world = OneBuffer(horizon=3, decision_set=np.eye(2))
    assert [chunk.means[0, 0] for chunk in list(world.rounds(seed=0, size=5))] == [1.0, 2.0, 3.0]
    assert world.realised_variation().arms == 2.0


def test_bernoulli_names_the_round_and_the_value() -> None:
    blocks = [[[0.5, 1.0], [0.0, 1.0]], [[0.5, 1.25]]]
    world = Scripted(blocks, horizon=3, decision_set=np.eye(2), rewards="bernoulli")
    chunks = world.rounds(seed=0, size=2)
    assert set(np.unique(next(chunks).rewards)) <= {0.0, 1.0}
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        next(chunks)
    assert str(error.value) == (
        "expected rewards must be in [0, 1] when rewards are bernoulli, got 1.25 in round 3"
    )


def test_the_decision_set_is_locked_and_a_copy() -> None:
    mine = np.eye(2)
    world = Scripted([ROW] * 3, horizon=3, decision_set=mine)
    mine[0, 0] = 5.0
    shown = world.decision_set
    assert shown is not None
    assert shown.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(ValueError, match="read-only"):
        shown[0, 0] = 5.0
    with pytest.raises(AttributeError):
        world.horizon = 5  # type: ignore[misc]  # the mistake under test


def test_repr_names_the_settings() -> None:
    world = Scripted([], horizon=3, decision_set=np.ones((4, 2)), rewards="bernoulli")
    assert repr(world) == (
        "<Scripted: horizon=3, n_arms=4, dimension=2, noise=0.5, rewards='bernoulli'>"
    )


def test_round_numbers_begin_at_one() -> None:
    world = Scripted([], horizon=5, decision_set=np.eye(2))
    assert [t.tolist() for t in world.round_numbers(2)] == [[1, 2], [3, 4], [5]]


def test_a_link_counts_in_the_variation_of_the_arms() -> None:
    class Squared(Scripted):
        def link(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values * values

    blocks = [np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[3.0, -4.0]])]
    world = Squared(blocks, horizon=3, decision_set=np.eye(2))
    assert world.realised_variation() == (6.0, 24.0)
    assert Scripted(blocks, horizon=3, decision_set=np.eye(2)).realised_variation() == (6.0, 6.0)


def test_without_a_link_values_are_the_expected_rewards() -> None:
    world = Scripted([ROW] * 3, horizon=3, decision_set=np.eye(2))
    values = np.array([0.5, -2.0])
    assert world.link(values) is values
