"""Doubling against fresh agents that play one epoch each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.contract.rounds import Rounds
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import luck_of
from driftwise.registry import find_policy

BASES = [
    "SlidingWindowUCB", pytest.param("BanditOverBandit", marks=pytest.mark.slow),
    dw.BanditOverBandit, dw.DiscountedLinUCB, dw.RestartUCB, dw.LinTS,
]  # fmt: skip


def wavy(horizon: int, n_arms: int, dimension: int, seed: int) -> Rounds:
    random = np.random.default_rng(seed)
    actions = random.uniform(-0.7, 0.7, (1, n_arms, dimension))
    phase = np.linspace(0.0, 9.0, horizon)[:, None]
    parameters = np.sin(phase + np.arange(dimension))
    means = parameters @ actions[0].T
    rewards = means + random.normal(0.0, 0.1, means.shape)
    return Rounds(actions, np.full(1, n_arms), means, rewards)


def by_hand(policy: dw.Doubling, rounds: Rounds, seed: int) -> list[int]:
    """Return the arms that a new memory for each epoch plays."""
    actions, (horizon, n_arms) = rounds.actions[0], rounds.rewards.shape
    seed, arms, epoch = luck_of(seed), list[int](), 0
    luck = draws.fork(seed, -1)
    while len(arms) < horizon:
        index = min(epoch, len(policy.epochs) - 1)
        base, length = policy.epochs[index], policy.first_length * 2**index
        memory = base.start(n_arms, actions.shape[1], actions)
        base.restart(memory, luck)
        for t in range(len(arms), min(len(arms) + length, horizon)):
            choice = base.choose(memory, actions, draws.fork(seed, t))
            learning = draws.fork(draws.fork(seed, t))
            base.learn(memory, actions[choice.arm], choice, rounds.rewards[t, choice.arm], learning)
            arms.append(choice.arm)
        luck = draws.fork(learning, 1)
        epoch += 1
    return arms


@pytest.mark.parametrize("base", BASES, ids=lambda base: getattr(base, "__name__", base))
def test_every_epoch_begins_from_nothing(base: Any, play_on: Callable[..., Iterator[Any]]) -> None:
    policy = dw.Doubling.tuned(dimension=3, noise=0.1, base=base, first_length=20, rounds=150)
    assert [policy.first_length << i for i in range(len(policy.epochs))] == [20, 40, 80, 160]
    short = policy._replace(epochs=policy.epochs[:3])  # the last of which is played twice
    rounds = wavy(260, 4, 3, seed=1)
    for each in (policy, short):
        (stretch,) = play_on(each, rounds, seed=5, is_compiled=isinstance(base, str))
        assert stretch.arms.tolist() == by_hand(each, rounds, seed=5)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(1, 5), st.integers(1, 300), st.integers(0, 99))
def test_epochs_double(first: int, n_epochs: int, horizon: int, seed: int) -> None:
    bases = tuple(dw.LinUCB(noise=0.1) for _ in range(n_epochs))
    agent = dw.Agent(dw.Doubling(bases, first), dimension=2, seed=seed, is_interpreted=True)
    left, epoch = first, 0
    for t in range(horizon):
        told = agent.explain([[1.0, 0.0], [0.0, 1.0]])
        assert (told["epoch"], told["epoch_length"]) == (
            epoch,
            first * 2 ** min(epoch, n_epochs - 1),
        )
        agent.learn(agent.choose([[1.0, 0.0], [0.0, 1.0]]), float(t % 3))
        left -= 1
        if left == 0:
            epoch += 1
            left = first * 2 ** min(epoch, n_epochs - 1)
            assert not agent.estimate.any(), "nothing is known of the epochs before"


def test_a_reward_of_a_former_epoch_is_not_learnt() -> None:
    agent = dw.Agent(dw.Doubling((dw.LinUCB(noise=0.1),) * 2, 2), dimension=1, is_interpreted=True)
    late = agent.choose([[1.0]])
    for _ in range(2):
        agent.learn(agent.choose([[1.0]]), 1.0)
    agent.learn(late, 1.0)
    assert agent.estimate == 0.0
    assert agent.explain([[1.0]])["rounds_in_epoch"] == 1, "but it counts as a round"


def test_the_last_epoch_needs_most_room() -> None:
    windows = dw.SlidingWindowUCB(9, 0.1), dw.SlidingWindowUCB(8, 0.1)
    with pytest.raises(
        ValueError, match="epochs must need no more memory than the last: that of index 0"
    ):
        dw.Agent(dw.Doubling(windows, 5), dimension=2)


@pytest.mark.parametrize(
    ("epochs", "rule"),
    [
        ((), "be a tuple of policies"),
        ((3,), "be a tuple of policies"),
        (dw.LinUCB(noise=0.1), "be a tuple of policies"),
        ((dw.LinUCB(noise=0.1), dw.LinTS(noise=0.1)), "be policies of one class"),
    ],
)
def test_what_is_refused(epochs: Any, rule: str) -> None:
    with pytest.raises(TypeError, match=f"epochs must {rule}"):
        dw.Doubling(epochs, 5)


def test_what_tuned_refuses() -> None:
    with pytest.raises(ValueError, match="did you mean 'SlidingWindowUCB'"):
        dw.Doubling.tuned(dimension=2, noise=0.1, base="SlidingWindowsUCB")
    with pytest.raises(TypeError, match="base must be a class of policies with a method tuned"):
        dw.Doubling.tuned(dimension=2, noise=0.1, base=3)
    with pytest.raises(ValueError, match="first must be at least 1 round"):
        dw.Doubling.tuned(dimension=2, noise=0.1, first_length=0)


@pytest.mark.parametrize("base", [dw.SlidingWindowArmsUCB, dw.DiscountedGaussianTS])
def test_a_base_that_plays_arms_is_tuned_for_their_number(base: Any) -> None:
    policy = dw.Doubling.tuned(base=base, dimension=3, noise=0.2, rounds=1000)
    facts = {"noise": 0.2} if base is dw.DiscountedGaussianTS else {}
    assert policy.epochs[1] == base.tuned(horizon=256, n_arms=3, **facts)
    agent = dw.Agent(policy, n_arms=3, is_interpreted=True)
    for _ in range(400):
        agent.learn(agent.choose(), 0.5)
    assert agent.memory.epoch[0] == 2


def test_the_card_states_what_theory_works_out() -> None:
    said = find_policy("Doubling").card.guarantee
    for name in ("sliding-window", "bandit-over-bandit"):
        constant = dw.theory.doubling_constant(dw.theory.RATES[name].horizon_exponent)
        assert f"{math.ceil(100 * constant) / 100}" in said
