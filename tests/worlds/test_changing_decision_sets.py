"""Worlds whose decision sets change: what is asked of their author, padding, and links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.worlds import LinearWorld
from driftwise.worlds.parts.blocks import Offer


class ScriptedOffers(LinearWorld):
    """A world that yields the parameters and the decision sets it is given, right or wrong."""

    def __init__(self, blocks: list[Any], offered: list[Any], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.blocks, self.offered = blocks, offered

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        yield from self.blocks

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        yield from self.offered


def test_changing_decision_sets_need_sensible_sizes() -> None:
    with pytest.raises(ValueError, match=r"^n_arms must be at least 1, got 0$"):
        ScriptedOffers([], [], horizon=3, n_arms=0, dimension=2)
    with pytest.raises(ValueError, match=r"^dimension must be at least 1, got 0$"):
        ScriptedOffers([], [], horizon=3, n_arms=2, dimension=0)


ROW = np.array([[0.5, 0.25]])
TWO = (np.ones((1, 2, 2)), np.array([2]))


@pytest.mark.parametrize(
    ("offered", "message"),
    [
        ([TWO], "offers must yield 3 rounds in total, got 1"),
        ([TWO] * 4, "offers must yield 3 rounds in total, got 4 or more"),
        (
            [(np.ones((1, 3, 2)), [3])],
            "offers must yield blocks of shape (1 to 2, 2, 2), got (1, 3, 2)",
        ),
        ([TWO, (TWO[0], [0])], "offers must yield sizes from 1 to 2, got 0 in round 2"),
        ([TWO, (TWO[0], [3])], "offers must yield sizes from 1 to 2, got 3 in round 2"),
        (
            [(TWO[0], [2, 2])],
            "offers must yield one integer per round as sizes, 1 in total, got int64 of shape (2,)",
        ),
        (
            [(TWO[0], [1.5])],
            "offers must yield one integer per round as sizes, 1 in total, got float64 of shape (1,)",
        ),
        (
            [TWO, (np.full((1, 2, 2), np.nan), [1])],
            "offers must yield finite actions of magnitude up to 1e+30, got nan in round 2",
        ),
    ],
)
def test_wrong_offers_are_refused(offered: list[Any], message: str) -> None:
    world = ScriptedOffers([ROW] * 3, offered, horizon=3, n_arms=2, dimension=2)
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        list(world.rounds(seed=0, size=2))
    assert str(error.value) == message


def test_a_short_path_is_noticed_beside_full_offers() -> None:
    world = ScriptedOffers([ROW] * 2, [TWO] * 3, horizon=3, n_arms=2, dimension=2)
    with pytest.raises(ValueError, match=r"^path must yield 3 rounds in total, got 2$"):
        list(world.rounds(seed=0, size=2))


def test_padding_is_cleared_whatever_the_author_left_there() -> None:
    actions = np.array([[[1.0, 2.0], [np.nan, np.inf]]])
    world = ScriptedOffers([ROW], [(actions, [1])], horizon=1, n_arms=2, dimension=2)
    (chunk,) = world.rounds(seed=0, size=1)
    assert chunk.actions.tolist() == [[[1.0, 2.0], [0.0, 0.0]]]
    assert chunk.means.tolist() == [[1.0, 0.0]]
    assert np.isnan(actions[0, 1, 0])  # the author's array is left alone


cuts = st.lists(st.integers(1, 4), min_size=12, max_size=12)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(path_cuts=cuts, offer_cuts=cuts)
def test_path_and_offers_may_be_cut_differently(
    path_cuts: list[int], offer_cuts: list[int]
) -> None:
    horizon = 12
    random = np.random.default_rng(7)
    parameters = random.normal(size=(horizon, 2))
    actions = random.normal(size=(horizon, 3, 2))
    sizes = random.integers(1, 4, horizon)

    def edges(lengths: list[int]) -> list[tuple[int, int]]:
        ends = [min(int(end), horizon) for end in np.cumsum(lengths)]
        return [(a, b) for a, b in zip([0, *ends], ends, strict=False) if a < b]

    world = ScriptedOffers(
        [parameters[a:b] for a, b in edges(path_cuts)],
        [(actions[a:b], sizes[a:b]) for a, b in edges(offer_cuts)],
        horizon=horizon,
        n_arms=3,
        dimension=2,
    )
    chunks = list(world.rounds(seed=0, size=4))
    met = [(a, k, m) for chunk in chunks for a, k, m in zip(*chunk[:3], strict=True)]
    assert len(met) == horizon
    for t, (decision_set, size, means) in enumerate(met):
        assert size == sizes[t]
        assert np.array_equal(decision_set[:size], actions[t, :size])
        assert np.allclose(means[:size], actions[t, :size] @ parameters[t], rtol=0, atol=1e-12)


class Linked(ScriptedOffers):
    """The same with a link that its author may get wrong."""

    def __init__(self, formula: Callable[[Any], Any], **arguments: Any) -> None:
        offered = [(np.ones((3, 2, 2)), np.array([2, 1, 2]))]
        super().__init__([np.array([[0.5, 0.25]] * 3)], offered, horizon=3, **arguments)
        self.formula = formula

    def link(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        linked: NDArray[np.float64] = self.formula(values)
        return linked


def test_a_link_makes_expected_rewards_of_inner_products() -> None:
    world = Linked(lambda v: v * v + 1.0, n_arms=2, dimension=2)
    (chunk,) = world.rounds(seed=0, size=3)
    # The padding stays zero, whatever the link makes of zero.
    assert chunk.means.tolist() == [[1.5625, 1.5625], [1.5625, 0.0], [1.5625, 1.5625]]
    assert world.link(np.array([2.0])).tolist() == [5.0]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (lambda v: v[:, :1], "link must return an array of shape (3, 2), got (3, 1)"),
        (
            lambda v: np.where(np.arange(3)[:, None] == 1, np.nan, v),
            "link must return finite expected rewards of magnitude up to 1e+100, got nan in round 2",
        ),
    ],
)
def test_a_wrong_link_is_refused(formula: Callable[[Any], Any], message: str) -> None:
    world = Linked(formula, n_arms=2, dimension=2)
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        list(world.rounds(seed=0, size=3))
    assert str(error.value) == message


def test_assumption_one_is_judged_by_the_rounds_that_are_looked_at() -> None:
    straight, skew = np.eye(2)[None], np.array([[[1.0, 0.0], [1.0, 1.0]]])
    offered = [(straight, [2]), (skew, [1]), (skew, [2])]
    world = ScriptedOffers([ROW] * 3, offered, horizon=3, n_arms=2, dimension=2)
    assert world.satisfies_assumption_one(rounds=1)
    assert world.satisfies_assumption_one(rounds=2)  # what stands below the real rows is padding
    assert not world.satisfies_assumption_one()
    with pytest.raises(ValueError, match=r"^rounds must be at least 1 round, got 0$"):
        world.satisfies_assumption_one(rounds=0)
    with pytest.raises(ValueError, match=r"^seed must be at least 0, got -1$"):
        world.satisfies_assumption_one(seed=-1)
