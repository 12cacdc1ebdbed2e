"""Uniform draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwise import simulate
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness.draws import uniform
from driftwise.policies.uniform import Uniform
from driftwise.worlds import Sinusoid

PlayOn = Callable[..., Iterator[Any]]


def test_every_action_comes_as_often(play_on: PlayOn) -> None:
    """Also of decision sets that change, and whatever came before."""
    n, sizes = 12_000, np.tile([1, 2, 5], 4000)
    rewards = np.zeros((n, 5))
    rounds = Rounds(np.zeros((n, 5, 2)), sizes, rewards, rewards)
    (stretch,) = play_on(Uniform(), rounds, seed=1)
    for size in (1, 2, 5):
        arms = stretch.arms[sizes == size]
        counts = np.bincount(arms, minlength=5)
        assert counts[size:].sum() == 0
        spread = math.sqrt(len(arms) / size * (1 - 1 / size))
        assert np.abs(counts[:size] - len(arms) / size).max() <= 4 * spread
    pairs = np.bincount(arms[1:] * 5 + arms[:-1], minlength=25)
    assert np.abs(pairs - 4000 / 25).max() <= 4.5 * math.sqrt(4000 / 25)


@given(luck=st.integers(0, 2**63 - 1), n_arms=st.integers(1, 50), stream=st.integers(0, 2**40))
@settings(derandomize=True, deadline=None, max_examples=50, database=None)
def test_a_choice_is_a_draw(luck: int, n_arms: int, stream: int) -> None:
    policy = Uniform(stream)
    memory = policy.start(0, 2, None)
    policy.restart(memory, 0)
    choice = policy.choose(memory, np.zeros((n_arms, 2)), luck)
    assert choice.arm == math.floor(uniform(luck, stream) * n_arms)
    assert choice.propensity == 1 / n_arms
    policy.learn(memory, np.zeros(2), choice, 1e100, luck)
    assert memory.nothing.tolist() == [0]


def test_streams_are_independent(play_on: PlayOn) -> None:
    rewards = np.zeros((8000, 4))
    rounds = Rounds(np.eye(4)[None], np.full(1, 4), rewards, rewards)
    one, other = (next(play_on(Uniform(stream), rounds, seed=3)).arms for stream in (0, 1))
    pairs = np.bincount(one * 4 + other, minlength=16)
    assert np.abs(pairs - 500).max() <= 4.5 * math.sqrt(500)


def test_nothing_changed() -> None:
    run = simulate(Uniform(), Sinusoid(horizon=3000, variation=1.0, noise=0.1), seed=0)
    assert run.total_regret == pytest.approx(585.0888858218068, rel=1e-9), run.total_regret


def test_tuned() -> None:
    assert Uniform.tuned(horizon=10, n_arms=2) == Uniform() == Uniform(0)
