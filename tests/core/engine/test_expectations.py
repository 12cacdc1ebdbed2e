"""Who tells a policy one thing and feeds it another is warned, once, with the setting to change."""

import copy
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.engine.expectations import expectations_of
from tests.core.agents import learnt_bits

UCB = dw.SlidingWindowUCB(window=20, noise=0.1)
PAIR = np.array([[1.0, 0.0], [0.6, 0.8]])
TOO_LARGE = r"rewards are far outside parameter_norm \* action_norm = 1, .* raise parameter_norm"
TOO_LONG = "actions are longer than action_norm = 1, .* raise action_norm"


def heard(call: Callable[[], object]) -> list[str]:
    """Return what a call warns of, and see that the warning points at who called."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {(each.category, each.filename) for each in caught} <= {(dw.SettingsWarning, __file__)}
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    "policy",
    [
        UCB,
        dw.AdaptiveUCB(1.0, 1.0),
        dw.BanditOverBandit(UCB, [5, 9], 10, 0.5, 10.0),
        dw.Corral((UCB, dw.LinUCB(noise=0.1, parameter_norm=9.0)), 0.1, 0.1, 1.1),
    ],
)
@pytest.mark.parametrize("reward", [50.0, -50.0, 50, np.float32(50.0)])
def test_a_reward_far_outside_is_warned_of_once(policy: Any, reward: Any) -> None:
    for _ in range(2):  # each agent warns for itself
        agent = dw.Agent(policy, decision_set=PAIR, is_interpreted=True)
        assert heard(lambda: agent.learn(agent.choose(), 1.0)) == []  # noqa: B023  # called here
        (text,) = heard(lambda: agent.learn(agent.choose(), reward))  # noqa: B023
        assert re.match(TOO_LARGE, text)
        assert heard(lambda: agent.learn(agent.choose(), 2.0 * reward)) == []  # noqa: B023


def test_noise_is_no_surprise() -> None:
    agent = dw.Agent(UCB, decision_set=PAIR, is_interpreted=True)
    assert heard(lambda: agent.learn(agent.choose(), 1.4)) == []
    assert len(heard(lambda: agent.learn(agent.choose(), -1.41))) == 1


@pytest.mark.parametrize(
    ("policy", "largest", "longest"),
    [
        (UCB, 1.4, 1.0),
        (dw.LinUCB(noise=0.5, action_norm=2.0, parameter_norm=3.0), 8.0, 2.0),
        (dw.AdaptiveUCB(parameter_norm=2.0, action_norm=3.0), 18.0, 3.0),
        (dw.AdaptiveUCB(), 1e100, math.inf),  # told nothing
        (dw.SlidingWindowGLMUCB(window=9), 1e100, 1.0),  # clicks are no product
        (dw.UCB1(), 1e100, math.inf),
        (dw.LinUCB(noise=1e100), 1e100, 1.0),
        (dw.Uniform(), 1e100, math.inf),
    ],
)
def test_what_is_expected_follows_from_settings(
    policy: Any, largest: float, longest: float
) -> None:
    told = expectations_of(policy)
    assert told.reward == pytest.approx(largest, rel=1e-12)
    assert told.length == pytest.approx(longest, rel=1e-5)


def test_actions_that_are_too_long_are_warned_of_once() -> None:
    agent = dw.Agent(UCB, dimension=2, is_interpreted=True)
    assert heard(lambda: agent.choose(PAIR)) == []
    (text,) = heard(lambda: agent.choose([[0.1, 0.2], [3.0, 4.0], [0.0, 0.0]]))
    assert re.match(TOO_LONG, text)
    assert heard(lambda: agent.choose(4.0 * PAIR)) == []
    assert agent.n_choices == 3
    (text,) = heard(lambda: dw.Agent(UCB, decision_set=2.0 * PAIR, is_interpreted=True).choose())
    assert re.match(TOO_LONG, text)


def test_arms_have_length_one() -> None:
    short = UCB._replace(action_norm=0.5)
    (text,) = heard(lambda: dw.Agent(short, n_arms=10**5, is_interpreted=True))
    assert "action_norm = 0.5" in text
    assert heard(lambda: dw.Agent(UCB, n_arms=2, is_interpreted=True)) == []


def test_features_of_length_one_in_single_precision_are_fine() -> None:
    random = np.random.default_rng(0).standard_normal((1000, 3)).astype(np.float32)
    features = random / np.linalg.norm(random, axis=1, keepdims=True)
    assert np.linalg.norm(features.astype(float), axis=1).max() > 1.0
    agent = dw.Agent(UCB, dimension=3, is_interpreted=True)
    assert heard(lambda: agent.choose(features)) == []


def test_where_warnings_are_errors_nothing_was_learnt() -> None:
    agent = dw.Agent(UCB, dimension=2, is_interpreted=True)
    decision, before = agent.choose(PAIR), learnt_bits(agent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(dw.SettingsWarning):
            agent.learn(decision, 99.0)
        with pytest.raises(dw.SettingsWarning):
            agent.choose(9.0 * PAIR)
    assert (learnt_bits(agent), agent.n_choices) == (before, 1)
    agent.learn(decision, 99.0)
    assert learnt_bits(agent) != before


def test_a_copy_of_an_agent_that_has_warned_does_not_warn_again() -> None:
    agent = dw.Agent(UCB, decision_set=PAIR, is_interpreted=True)
    assert len(heard(lambda: agent.learn(agent.choose(), 99.0))) == 1
    twin = copy.deepcopy(agent)
    assert heard(lambda: twin.learn(twin.choose(), 99.0)) == []


@pytest.mark.parametrize("policy", [dw.AdaptiveUCB(), dw.Exploring(dw.AdaptiveUCB(), share=0.1)])
def test_who_is_told_nothing_goes_by_no_bound(policy: Any) -> None:
    for offered, rows in (({"n_arms": 2}, None), ({"dimension": 2}, PAIR)):
        agent = dw.Agent(policy, **offered, is_interpreted=True)  # type: ignore[arg-type]  # either
        assert heard(lambda: agent.learn(agent.choose(rows), 80.0)) == []  # noqa: B023  # called here
        assert rows is None or heard(lambda: agent.choose(9.0 * rows)) == []  # noqa: B023
