"""The rounds in which a world changes."""

import numpy as np
import pytest

import driftwise as dw
from driftwise.experiments.setup.changes import changed_rounds, is_jumping, stretches
from driftwise.experiments.spec.parameters import parameters_of
from driftwise.registry import all_worlds

MADE = sorted(all_worlds().keys() - {"World", "Recorded"})


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("seed", [0, 3])
def test_as_many_as_the_world_says(name: str, seed: int) -> None:
    given = {"horizon": 5000, "variation": 1.0, "dimension": 2, "parameter": [0.2, 0.8]}
    cls = all_worlds()[name]
    asked = parameters_of(cls)
    world = cls(**{k: v for k, v in given.items() if asked.get(k) and asked[k].default is asked[k].empty})  # fmt: skip
    changes = changed_rounds(world, seed)
    assert changes is not None
    assert len(changes) == world.number_of_changes(seed)


def test_across_blocks() -> None:
    world = dw.worlds.Switching(horizon=9000, times=[2, 4096, 4097, 4098, 9000])
    changes = changed_rounds(world, seed=0)
    assert changes is not None
    assert changes.tolist() == [2, 4096, 4097, 4098, 9000]
    assert stretches(changes) == [(2, 2), (4096, 4098), (9000, 9000)]


def test_records_without_a_parameter() -> None:
    rewards = [[0.1, 0.2], [0.1, 0.2], [0.3, 0.2]]
    fixed = dw.worlds.Recorded(decision_sets=np.eye(2), rewards=rewards)
    found = changed_rounds(fixed, seed=0)
    assert found is not None
    assert found.tolist() == [3]
    others = [np.eye(2), 2.0 * np.eye(2), np.eye(2)]
    assert changed_rounds(dw.worlds.Recorded(decision_sets=others, rewards=rewards), seed=0) is None


def test_who_jumps() -> None:
    assert is_jumping(np.array([7]), 100)
    assert not is_jumping(np.arange(2, 101), 100)
    assert not is_jumping(np.array([], dtype=np.int64), 100)
    assert not is_jumping(None, 100)
