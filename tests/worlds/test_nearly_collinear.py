"""Where Lemma 1 fails: its two sides, on the actions that the best policy would play."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise.worlds import NearlyCollinear, OrthogonalSets, Sinusoid


def best_actions(world: Any, n: int) -> NDArray[np.float64]:
    """The actions of the first n rounds of whoever knows the parameter."""
    (chunk,) = world.rounds(seed=0, size=world.horizon)
    best = np.where(np.arange(world.n_arms) < chunk.sizes[:, None], chunk.means, -np.inf)
    sets = np.broadcast_to(chunk.actions, (len(chunk.means), *chunk.actions.shape[1:]))
    played: NDArray[np.float64] = sets[np.arange(n), best[:n].argmax(axis=1)]
    return played


def lemma_factor(actions: NDArray[np.float64], first: int) -> float:
    """The spectral norm of V^-1 A: A of the first plays, V of all and a ridge of 1."""
    before = actions[:first].T @ actions[:first]
    gram = np.eye(actions.shape[1]) + actions.T @ actions
    return float(np.linalg.norm(np.linalg.solve(gram, before), ord=2))


def test_lemma_one_fails_here() -> None:
    world = NearlyCollinear(horizon=10_100)
    actions = best_actions(world, 10_100)
    assert lemma_factor(actions, 100) > 4.9
    path = np.concatenate(list(world.path(seed=0, size=5000)))
    jump = path[100] - path[99]
    gram = np.eye(2) + actions.T @ actions
    bias = np.linalg.solve(gram, actions[:100].T @ actions[:100] @ jump)
    assert np.linalg.norm(jump) == pytest.approx(1.0, rel=1e-12)  # the lemma's right side
    assert np.linalg.norm(bias) == pytest.approx(4.975, abs=0.001)  # its left side


@pytest.mark.parametrize("offset", [0.2, 0.05, 0.02])
def test_the_failure_has_no_bound(offset: float) -> None:
    world = NearlyCollinear(horizon=300_000, offset=offset)
    n = world.first_phase
    assert n == pytest.approx(offset**-2)
    x = np.array([math.sqrt(1 - offset**2), offset])
    before = n * np.outer(x, x)  # the sum over many equal plays
    gram = np.eye(2) + before + world.second_phase * np.outer([1.0, 0.0], [1.0, 0.0])
    factor = np.linalg.norm(np.linalg.solve(gram, before), ord=2)
    assert factor == pytest.approx(1 / (2 * offset), rel=0.05)


def test_lemma_one_holds_where_assumption_one_does() -> None:
    for world in (Sinusoid(horizon=400), OrthogonalSets(horizon=400)):
        actions = best_actions(world, 400)
        for first in range(1, 400, 23):
            assert lemma_factor(actions, first) <= 1.0 + 1e-12


def test_the_phases() -> None:
    world = NearlyCollinear(horizon=23, offset=0.6, first_phase=3, second_phase=5)
    path = np.concatenate(list(world.path(seed=0, size=4)))
    (chunk,) = world.rounds(seed=0, size=23)
    for t in range(23):
        is_first = t % 8 < 3
        sign = 0.5 if is_first else -0.5
        assert path[t] == pytest.approx([sign * 0.8, sign * 0.6], rel=1e-12)
        assert chunk.means[t].argmax() == (1 if is_first else 0)
        loss = chunk.means[t].max() - chunk.means[t].min()
        assert 0.0 < loss <= 0.6**2 / 2
    assert world.number_of_changes() == 5
    assert world.realised_variation().l2 == pytest.approx(5.0, rel=1e-12)
    assert not world.satisfies_assumption_one()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"offset": 0.0}, "offset must be in (0, 1), got 0.0"),
        ({"offset": 1.0}, "offset must be in (0, 1), got 1.0"),
        ({"first_phase": 0}, "first_phase must be at least 1 round, got 0"),
        ({"second_phase": 0}, "second_phase must be at least 1 round, got 0"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # compared in full below
        NearlyCollinear(**{"horizon": 10} | arguments)
    assert str(error.value) == message
