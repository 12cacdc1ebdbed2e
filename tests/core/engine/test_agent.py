"""What a program holds: choose, learn late, and nothing lost to bad input."""

import json
import math
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.records import arrays_in
from tests.core.agents import bits, learnt_bits, played
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
PAIR = np.array([[1.0, 0.0], [0.6, 0.8]])


def test_a_decision_tells_what_was_chosen_and_how() -> None:
    agent = dw.Agent(POLICY, dimension=2, seed=0)
    decision = agent.choose([[0.1, 0.0], [0.6, 0.8], [0.0, 0.5]])
    assert decision.arm == 1
    assert decision.action.tolist() == [0.6, 0.8]
    assert decision.propensity == 1.0
    assert 0 <= decision.luck < 2**63
    assert agent.n_choices == 1


def test_a_late_reward_belongs_to_the_action_of_its_day() -> None:
    """The caller may reuse the array of the decision set in the meantime."""
    agent, offer = dw.Agent(POLICY, dimension=2), PAIR.copy()
    decision = agent.choose(offer)
    offer[:] = 99.0
    agent.learn(decision, 1.0)
    assert agent.estimate == pytest.approx(decision.action / 2.0)


def test_estimate_is_the_ridge_solution() -> None:
    agent = dw.Agent(POLICY, dimension=2)
    assert agent.estimate.tolist() == [0.0, 0.0]
    actions, rewards = [], [0.3, 0.1, 0.9]
    for reward in rewards:
        decision = agent.choose(PAIR)
        agent.learn(decision, reward)
        actions.append(decision.action)
    tall = np.array(actions)
    wanted = np.linalg.solve(tall.T @ tall + np.eye(2), tall.T @ np.array(rewards))
    assert agent.estimate == pytest.approx(wanted, rel=1e-12)


def test_the_estimate_is_a_copy() -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    before = bits(agent)
    agent.estimate[:] = 99.0
    assert bits(agent) == before


def test_a_policy_without_an_estimate_says_so() -> None:
    agent = dw.Agent(dw.Exp3(mixing=0.1), n_arms=3)
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate of a parameter"):
        _ = agent.estimate


def test_three_ways_to_say_what_will_be_offered() -> None:
    assert dw.Agent(POLICY, n_arms=3).choose().action.size == 3
    assert dw.Agent(POLICY, decision_set=PAIR).choose().action.size == 2
    assert dw.Agent(POLICY, dimension=2).choose(PAIR).action.size == 2
    exp3s = dw.Exp3S.tuned(horizon=100, n_arms=2, variation=1.0)
    assert dw.Agent(exp3s, n_arms=2, seed=0).choose(np.eye(2)).propensity == 0.5


def test_a_policy_that_plays_arms_is_refused_where_decision_sets_change() -> None:
    with pytest.raises(ValueError, match="UCB1 plays arms, so the decision set must be the same"):
        dw.Agent(dw.UCB1(), dimension=2)
    agent = dw.Agent(dw.UCB1(), decision_set=PAIR, is_interpreted=True)
    with pytest.raises(ValueError, match="decision_set must be the one given at the start"):
        agent.choose(PAIR[::-1])


@pytest.mark.parametrize("true", [True, np.True_])
@pytest.mark.parametrize("false", [False, np.False_])
def test_a_truth_is_a_reward_of_one_or_zero(true: Any, false: Any) -> None:
    agent, plain = (dw.Agent(POLICY, n_arms=2, is_interpreted=True) for _ in range(2))
    for truth, number in ((true, 1.0), (false, 0.0), (true, 1.0)):
        agent.learn(agent.choose(), truth)
        plain.learn(plain.choose(), number)
    assert bits(agent) == bits(plain)


def test_a_fixed_decision_set_stays() -> None:
    agent = dw.Agent(POLICY, decision_set=PAIR)
    assert agent.choose(PAIR.tolist()).arm in (0, 1)
    with pytest.raises(ValueError, match="decision_set must be the one given at the start"):
        agent.choose(PAIR + 1.0)


def test_the_largest_numbers_are_said() -> None:
    agent = dw.Agent(POLICY, dimension=2)
    decision = agent.choose([[1e30, -1e30]])
    agent.learn(decision, -1e100)
    for action in (1e31, -1e31):
        with pytest.raises(ValueError, match=r"^decision_set must not exceed 1e\+30 in magnitude"):
            agent.choose([[1.0, action]])
        with pytest.raises(ValueError, match=r"^action must not exceed 1e\+30 in magnitude"):
            agent.learn(decision._replace(action=np.array([1.0, action])), 0.5)
    with pytest.raises(
        ValueError, match=r"^reward must not exceed 1e\+100 in magnitude, got 1e\+101$"
    ):
        agent.learn(decision, 1e101)
    with pytest.raises(ValueError, match=r"^decision_set must not exceed 1e\+30 in magnitude"):
        dw.Agent(POLICY, decision_set=[[1e31]])


def test_extreme_but_legal_numbers_stay_finite() -> None:
    agent = dw.Agent(POLICY, dimension=2)
    rng = np.random.default_rng(0)
    for power in (30, -100, 20, 0, 30, 3):
        for _ in range(30):
            actions = np.clip(rng.standard_normal((3, 2)), -1, 1) * 10.0**power
            agent.learn(agent.choose(actions), float(rng.choice([-1e100, 0.0, 1.0, 1e100])))
            assert all(np.isfinite(array).all() for array in arrays_in(agent.memory))


def test_decisions_survive_json() -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    decision = agent.choose(PAIR)
    text = json.dumps(decision.as_dict(), allow_nan=False)
    again = dw.Decision.from_dict(json.loads(text))
    assert again.action.tolist() == decision.action.tolist()
    assert again.choice == decision.choice
    assert again[2:5] == decision[2:5]
    exp3 = dw.Agent(dw.Exp3(mixing=0.2), n_arms=2).choose()
    assert math.isnan(dw.Decision.from_dict(exp3.as_dict()).value)


def test_a_log_decides_the_memory_and_nothing_else_does() -> None:
    agent = dw.Agent(POLICY, dimension=2, seed=1)
    decisions = [agent.choose(PAIR * scale) for scale in (1.0, 2.0, 3.0)]
    log = [(decisions[2], 0.1), (decisions[0], 0.2), (decisions[1], 0.3)]
    for decision, reward in log:
        agent.learn(decision, reward)
    twin = agent.replayed(log)
    assert learnt_bits(twin) == learnt_bits(agent)
    assert twin.choose(PAIR).luck == agent.choose(PAIR).luck
    assert learnt_bits(agent.replayed(log[::-1])) != learnt_bits(agent)
