"""Decisions in flight make the widths and indices of arms as narrow as their rewards will."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import driftwise as dw
from driftwise.core.models.arms.bernoulli import upper_bound
from tests.making import BEYOND_SETTINGS
from tests.policies.flight_twin import Array, Play, bounded, fading, recent, rounds

pytestmark = BEYOND_SETTINGS

ARMS: dict[str, tuple[Any, Callable[[int], Array]]] = {
    "window": (dw.SlidingWindowArmsUCB(window=8), recent),
    "discount": (dw.DiscountedArmsUCB(discount=0.9), fading),
    "everything": (dw.UCB1(), np.ones),
    "steady": (dw.UCB1(fixed_log=3.0), np.ones),
}


@pytest.mark.parametrize("name", ARMS)
@given(happening=rounds)
@bounded
def test_widths_of_arms_with_all_that_is_in_flight(
    name: str, happening: list[tuple[int, int, bool]]
) -> None:
    policy, weights_of = ARMS[name]
    play = Play(policy, np.eye(3), n_arms=3)
    for count, which, is_given_up in happening:
        arm = play.choose(np.eye(3)).arm
        counts, sums, flying = np.zeros(3), np.zeros(3), np.zeros(3)
        for weight, (_, reward, k) in zip(weights_of(len(play.learnt)), play.learnt, strict=True):
            counts[k] += weight
            sums[k] += weight * reward
        for each, chance in zip(play.twin.waiting(), play.twin.counts(), strict=True):
            flying[each.arm] += chance
        if name == "steady":
            counts = np.maximum(counts, 1.0)
        unheard = counts == 0.0
        if (unheard & (flying == 0)).any():
            assert unheard[arm]
            assert flying[arm] == 0
        elif unheard.all():
            assert flying[arm] == flying.min()
        else:
            log = 3.0 if name == "steady" else np.log(max(counts.sum(), 1.0))
            optimism = policy.optimism * log
            # The discounted index is twice as wide, as in its paper.
            width = (2.0 if name == "discount" else 1.0) * policy.reward_range
            with np.errstate(divide="ignore", invalid="ignore"):
                index = sums / counts + width * np.sqrt(optimism / (counts + flying))
            index[unheard] = -np.inf
            assert index[arm] == pytest.approx(index.max(), rel=1e-9)
        for _ in range(min(count, len(play.due))):
            play.hear(which, is_given_up)


def with_variance(
    means: Array, variances: Array, counts: Array, awaited: Array, total: float
) -> Array:
    level = np.log(total)
    return np.asarray(means + np.sqrt(2 * variances * level / awaited) + 3 * level / awaited)


def by_kl(means: Array, variances: Array, counts: Array, awaited: Array, total: float) -> Array:
    rooms = np.log(total) / awaited
    return np.array(
        [upper_bound(m, room) for m, room in zip(means.tolist(), rooms.tolist(), strict=True)]
    )


def by_mean(means: Array, variances: Array, counts: Array, awaited: Array, total: float) -> Array:
    return means


INDICES: dict[str, tuple[Any, Callable[..., Array]]] = {
    "variances": (dw.RerunUCBV(restart_every=10**6), with_variance),
    "kl": (dw.GLRUCB(confidence=1e-300, mixing=0.0), by_kl),
    "means": (dw.EpsilonGreedy(1e-12), by_mean),
}


@pytest.mark.parametrize("name", INDICES)
@given(happening=rounds)
@bounded
def test_indices_of_arms_with_all_that_is_in_flight(
    name: str, happening: list[tuple[int, int, bool]]
) -> None:
    policy, index_of = INDICES[name]
    play = Play(policy, np.eye(3), lambda rng: float(rng.random()), n_arms=3)
    for count, which, is_given_up in happening:
        arm = play.choose(np.eye(3)).arm
        earned = [
            np.array([reward for _, reward, k in play.learnt if k == each]) for each in range(3)
        ]
        counts = np.array([len(each) for each in earned], float)
        arms = np.array([each.arm for each in play.twin.waiting()], dtype=int)
        flying = np.bincount(arms, play.twin.counts(), minlength=3)
        is_unheard = counts == 0.0
        if (is_unheard & (flying == 0)).any():
            assert is_unheard[arm]
            assert flying[arm] == 0
        elif is_unheard.all():
            assert flying[arm] == flying.min()
        else:
            seen = np.flatnonzero(~is_unheard)
            means, variances = np.array([[earned[k].mean(), earned[k].var()] for k in seen]).T
            awaited = counts[seen] + flying[seen]
            found = index_of(means, variances, counts[seen], awaited, counts.sum())
            assert arm in seen
            assert found[seen.tolist().index(arm)] == pytest.approx(found.max(), rel=1e-9)
        for _ in range(min(count, len(play.due))):
            play.hear(which, is_given_up)


def test_turns_go_on_while_rewards_are_late() -> None:
    """Forced exploration does not repeat one arm, nor does taking turns."""
    cases: list[tuple[Any, Any]] = [
        ([0, 1, 2, 3], dw.GLRUCB(confidence=0.01, mixing=1.0)),
        (None, dw.AdSwitch(horizon=1000)),
    ]
    for arms, policy in cases:
        agent = dw.Agent(policy, n_arms=4, is_interpreted=True)
        chosen = [agent.choose().arm for _ in range(12)]
        for first in (0, 4, 8):
            assert sorted(chosen[first : first + 4]) == [0, 1, 2, 3]
            assert arms is None or chosen[first : first + 4] == arms
