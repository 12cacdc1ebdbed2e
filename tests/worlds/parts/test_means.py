"""Expected rewards against inner products written for reading, and their last bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from driftwise.worlds.parts.means import expected_rewards


def by_hand(actions: NDArray[np.float64], parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    means = np.zeros((len(parameters), actions.shape[1]))
    for t, parameter in enumerate(parameters):
        decision_set = actions[0 if len(actions) == 1 else t]
        for k, action in enumerate(decision_set):
            total = action[0] * parameter[0]
            for i in range(1, len(parameter)):
                total += action[i] * parameter[i]
            means[t, k] = total
    return means


@settings(derandomize=True, deadline=None, max_examples=80)
@given(
    n=st.integers(1, 20),
    n_arms=st.integers(1, 6),
    dimension=st.integers(1, 9),
    is_fixed=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_equal_to_the_sum_by_hand_to_the_last_bit(
    n: int, n_arms: int, dimension: int, is_fixed: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    actions = random.normal(size=(1 if is_fixed else n, n_arms, dimension))
    parameters = random.normal(size=(n, dimension))
    assert np.array_equal(expected_rewards(actions, parameters), by_hand(actions, parameters))


def test_basis_vectors_give_the_coordinates_and_a_copy() -> None:
    parameters = np.random.default_rng(0).normal(size=(50, 4))
    means = expected_rewards(np.eye(4)[None], parameters)
    assert np.array_equal(means, by_hand(np.eye(4)[None], parameters))
    assert not np.shares_memory(means, parameters)
    permuted = np.eye(4)[[2, 0, 3, 1]]
    assert np.array_equal(expected_rewards(permuted[None], parameters), parameters[:, [2, 0, 3, 1]])


def test_many_arms_take_several_steps() -> None:
    random = np.random.default_rng(1)
    actions, parameters = random.normal(size=(1, 9000, 2)), random.normal(size=(5, 2))
    assert np.array_equal(expected_rewards(actions, parameters), by_hand(actions, parameters))
    changing = random.normal(size=(5, 9000, 2))
    assert np.array_equal(expected_rewards(changing, parameters), by_hand(changing, parameters))
