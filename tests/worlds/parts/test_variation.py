"""The realised variation against sums written for reading."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise.worlds import World
from driftwise.worlds.parts.variation import changes_in, variation_of


@settings(derandomize=True, deadline=None, max_examples=60)
@given(cut=st.integers(1, 30), stands_still=st.booleans(), seed=st.integers(0, 1000))
def test_equal_to_the_sums_by_hand(cut: int, stands_still: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    parameters = random.normal(size=(30, 3))
    if stands_still:
        parameters = np.repeat(parameters[:6], 5, axis=0)
    decision_set = random.normal(size=(4, 3))
    l2 = arms = squared = 0.0
    changes = 0
    for before, after in itertools.pairwise(parameters):
        changes += any(before != after)
        l2 += math.dist(before, after)
        squared += max(
            abs(float(action @ after) ** 2 - float(action @ before) ** 2) for action in decision_set
        )
        arms += max(abs(float(action @ after) - float(action @ before)) for action in decision_set)

    blocks = [parameters[first : first + cut] for first in range(0, 30, cut)]
    measured = variation_of(blocks, decision_set)
    assert measured.l2 == pytest.approx(l2, rel=1e-12)
    assert measured.arms == pytest.approx(arms, rel=1e-12)
    assert variation_of(blocks, None) == (measured.l2, None)
    assert variation_of(blocks, decision_set, np.square).arms == pytest.approx(squared, rel=1e-12)
    assert changes_in(blocks) == changes


def test_changing_decision_sets_have_no_variation_by_arms() -> None:
    sets = np.stack([np.eye(2), 2 * np.eye(2), np.eye(2)])
    world = World(parameters=[[0.0, 0.0], [0.0, 3.0], [4.0, 0.0]], decision_sets=sets)
    assert world.realised_variation() == (8.0, None)


def test_one_round_does_not_move() -> None:
    world = World(parameters=[[1.0, 2.0]], decision_sets=np.eye(2))
    assert world.realised_variation() == (0.0, 0.0)
    assert world.number_of_changes() == 0


def test_a_change_and_a_change_back_are_two() -> None:
    world = World(
        parameters=[[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [1.0, 2.0]], decision_sets=np.eye(2)
    )
    assert world.number_of_changes() == 2
