"""Exploring: propensities that are right, and a policy inside that learns what was played."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.base.card import plays_arms, policies_inside
from driftwise.core.contract.played import as_played
from driftwise.core.contract.policy import Choice
from driftwise.core.randomness import draws
from driftwise.policies.corral import CorralChoice
from driftwise.policies.exploring import EXPLORES
from driftwise.registry import all_policies
from tests.making import BEYOND_SETTINGS, made

pytestmark = BEYOND_SETTINGS

ROWS = np.array([[1.0, 0.0, 0.2], [0.3, 0.9, 0.0], [0.0, 0.5, 0.8], [0.3, 0.9, 0.0]])
MEANS = np.array([0.2, 0.5, 0.7, 0.4])


def has_explored(decision: dw.Decision, share: float) -> bool:
    return draws.uniform(decision.luck, EXPLORES) < share


@pytest.mark.parametrize("n_draws", [1, 4])
def test_weighted_rewards_are_unbiased_and_the_two_wrong_ways_are_not(n_draws: int) -> None:
    """Section 5.1: Thompson sampling, whose own propensities nobody knows; it learns meanwhile."""
    share, target, n = 0.2, 2, 6000
    agent = dw.Agent(
        dw.Exploring(dw.LinTS(noise=0.5), share, n_draws), n_arms=3, seed=1, is_interpreted=True
    )
    random = np.random.default_rng(0)
    right, by_branch, given_branch = np.zeros((3, n))
    for t in range(n):
        decision = agent.choose()
        reward = MEANS[decision.arm] + 0.5 * random.standard_normal()
        agent.learn(decision, reward)
        if decision.arm == target:
            explored = has_explored(decision, share)
            right[t] = reward / decision.propensity
            by_branch[t] = reward / (share / 3 if explored else 1 - share)
            given_branch[t] = reward / (1 / 3 if explored else 1.0)

    def standard_errors(weighted: NDArray[np.float64]) -> float:
        return float((weighted.mean() - MEANS[target]) / (weighted.std() / math.sqrt(n)))

    assert abs(standard_errors(right)) < 4
    assert standard_errors(by_branch) > 6
    assert standard_errors(given_branch) < -6


# Uniform draws one number of its luck, and Exploring those of a coin: a coin that shares them shows.
INSIDE = {name: made(cls.tuned) for name, cls in all_policies().items()} | {
    "Uniform, second stream": dw.Uniform(stream=1),
    "Uniform, third stream": dw.Uniform(stream=2),
    "Exploring in Exploring": dw.Exploring(dw.Exploring(dw.UCB1(), 0.3), 0.3),
}


@pytest.mark.parametrize("n_draws", [1, 3])
@pytest.mark.parametrize("name", INSIDE)
def test_propensities_of_every_policy_are_right(name: str, n_draws: int) -> None:
    """After some rounds, in many rounds that differ in luck alone: 1{arm = j} / p is 1 on average."""
    policy = dw.Exploring(INSIDE[name], share=0.4, draws=n_draws)
    kind: dict[str, Any] = {"decision_set": ROWS} if plays_arms(policy) else {"dimension": 3}
    agent = dw.Agent(policy, **kind, seed=3, is_interpreted=True)
    random = np.random.default_rng(4)
    for _ in range(20):
        decision = agent.choose(ROWS)
        agent.learn(decision, float(random.random() < MEANS[decision.arm]))
    n, weights, excess, variance = 500, np.zeros(4), np.zeros(4), np.zeros(4)
    chances, squares = np.zeros(4), np.zeros(4)
    for luck in range(n):
        choice = policy.choose(agent.memory, ROWS, draws.fork(77, luck))
        policy.chances_in(agent.memory, ROWS, draws.fork(77, luck), chances)
        assert choice.propensity == chances[choice.arm], "the vector is that of the choice"
        assert chances.sum() == pytest.approx(1.0, abs=1e-12)
        assert policy.accepts(choice)
        weights[choice.arm] += 1.0 / choice.propensity
        squares += 1.0 / chances - 1.0  # the variance of a weight, given what was drawn inside
        excess -= chances
        excess[choice.arm] += 1.0
        variance += chances * (1.0 - chances)
    assert np.abs((weights - n) / np.sqrt(squares)).max() < 4.5
    assert np.abs(excess / np.sqrt(variance)).max() < 4.5


@pytest.mark.parametrize("inside", [dw.Exp3(0.2), dw.Exp3S(0.2, 0.01), dw.UCB1(), dw.LinTS(0.3)])
def test_against_a_version_for_reading(inside: Any) -> None:
    """What is played, with which probability, and that the policy inside learns just that."""
    share, seed = 0.3, 5
    agent = dw.Agent(dw.Exploring(inside, share), n_arms=4, seed=seed, is_interpreted=True)
    memory = inside.start(4, 4, np.eye(4))
    inside.restart(memory, draws.fork(agent._luck, -1))
    explored = 0
    for t in range(200):
        decision = agent.choose()
        luck = draws.fork(agent._luck, t)
        assert decision.luck == luck
        own = inside.choose(memory, np.eye(4), draws.fork(luck, 1))
        arm = own.arm
        if draws.uniform(luck, 0) < share:
            arm = int(4 * draws.uniform(luck, 1))
            explored += 1
        by_itself = np.eye(4)[own.arm]
        if hasattr(memory, "chances"):  # it draws by chances that it keeps
            by_itself = memory.chances
        propensity = share / 4 + (1 - share) * by_itself[arm]
        assert (decision.arm, decision.propensity) == (arm, propensity)
        reward = float(math.sin(t + arm))
        agent.learn(decision, reward)
        learnt = Choice(arm, propensity, own.value if arm == own.arm else math.nan)
        inside.learn(memory, np.eye(4)[arm], learnt, reward, draws.fork(luck))
    assert 40 < explored < 80
    for mine, its in zip(memory, agent.memory.inside, strict=True):
        np.testing.assert_equal(mine, its)


@pytest.mark.parametrize("is_interpreted", [True, False])
@pytest.mark.parametrize("inside", [dw.Exp3(0.2), dw.LinTS(0.3)], ids=["Exp3", "LinTS"])
def test_an_agent_tells_the_propensities_of_all_rows(inside: Any, is_interpreted: bool) -> None:
    policy = dw.Exploring(inside, share=0.4, draws=3)
    agent = dw.Agent(policy, decision_set=ROWS, is_interpreted=is_interpreted)
    for reward in (0.2, 0.7, 0.4, 0.9):
        decision = agent.choose()
        before, chances = agent.digest, agent.propensities(decision)
        assert chances[decision.arm] == decision.propensity
        assert chances.sum() == pytest.approx(1.0)
        assert chances.min() >= 0.1
        assert agent.digest == before
        agent.learn(decision, reward)
    with pytest.raises(TypeError, match="policy must be an Exploring, got a UCB1"):
        dw.Agent(dw.UCB1(), n_arms=2).propensities(decision)


def test_propensities_of_another_moment_are_not_those_of_a_decision() -> None:
    agent = dw.Agent(dw.Exploring(dw.UCB1(), 0.3), n_arms=3, seed=1, is_interpreted=True)
    decision = agent.choose()
    agent.learn(decision, 0.5)
    with pytest.raises(
        ValueError, match=r"asked for before anything is learnt .* got .* after 0\.8"
    ):
        agent.propensities(decision)


def test_what_is_played_instead_is_written_into_all_choices_inside() -> None:
    bases = (Choice(1, 1.0, 0.25), Choice(2, 0.5, 0.75))
    choice = CorralChoice(1, math.nan, 0.25, 0, 0.3, bases)
    other = as_played(choice, 2, 0.1)
    assert other[:2] == (2, 0.1)
    assert math.isnan(other.value)
    assert other[3:5] == choice[3:5]
    assert [each[:2] for each in other.bases] == [(2, 0.1), (2, 0.1)]
    assert math.isnan(other.bases[0].value)
    assert other.bases[1].value == 0.75
    same = as_played(choice, 1, 0.9)
    assert same[:3] == (1, 0.9, 0.25)


@pytest.mark.parametrize(
    "policy",
    [
        dw.Exploring(dw.Exp3(0.2), 0.3, 3),
        pytest.param(dw.Exploring(dw.LinTS(0.2), 0.3, 3), marks=pytest.mark.slow),
        pytest.param(
            dw.Exploring(dw.Corral((dw.UCB1(), dw.Exp3(0.2)), 0.1, 0.1, 1.1), 0.3),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            dw.Exploring(dw.BanditOverBandit.tuned(horizon=300, dimension=3, noise=0.1), 0.3),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["Exp3", "LinTS", "Corral", "BanditOverBandit"],
)
def test_compiled_and_interpreted_agree(policy: Any) -> None:
    dw.checks.check_policy(policy, is_thorough=False)


def test_it_asks_of_worlds_and_balls_what_its_policy_asks() -> None:
    assert policies_inside(dw.Exploring(dw.UCB1())) == [dw.UCB1()]
    assert plays_arms(dw.Exploring(dw.UCB1()))
    assert not plays_arms(dw.Exploring(dw.AdaptiveUCB()))
    with pytest.raises(ValueError, match="Exploring chooses among rows"):
        dw.Agent(dw.Exploring(dw.LinUCB(0.1)), decision_set=dw.UnitBall(2))


def test_it_tells_what_its_policy_believes() -> None:
    agent = dw.Agent(
        dw.Exploring(dw.LinUCB(0.1), share=0.05), dimension=2, seed=0, is_interpreted=True
    )
    for _ in range(20):
        decision = agent.choose([[1.0, 0.0], [0.0, 1.0]])
        agent.learn(decision, 0.5 * decision.action[1])
    told = agent.explain()
    assert told["memory_source"].startswith("Any row is played in 0.05 of all rounds, otherwise: ")
    np.testing.assert_array_equal(agent.estimate, told["estimate"])
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate"):
        _ = dw.Agent(dw.Exploring(dw.Exp3(0.1)), n_arms=2, is_interpreted=True).estimate


def test_bad_settings() -> None:
    with pytest.raises(
        TypeError, match=r"policy must be an instance, UCB1\(\.\.\.\), got the class UCB1"
    ):
        dw.Exploring(dw.UCB1)
    with pytest.raises(TypeError, match="policy must be a policy, got 3"):
        dw.Exploring(3)
    for share in (0.0, 1.5):
        with pytest.raises(ValueError, match=r"share must be in \(0, 1\]"):
            dw.Exploring(dw.UCB1(), share)
    with pytest.raises(ValueError, match="draws must be at least 1"):
        dw.Exploring(dw.UCB1(), draws=0)


def test_it_is_tuned_as_sliding_window_ucb_is() -> None:
    facts: dict[str, Any] = {"horizon": 1000, "dimension": 2, "noise": 0.1, "geometry": "general"}
    tuned = dw.Exploring.tuned(**facts, share=0.2)
    assert tuned == dw.Exploring(dw.SlidingWindowUCB.tuned(**facts), 0.2)
    with pytest.raises(
        TypeError, match=r"Exploring.tuned\(\) missing a required argument: 'noise'"
    ):
        dw.Exploring.tuned(horizon=1000, dimension=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nose'"):
        dw.Exploring.tuned(**facts, nose=0.1, policy=dw.UCB1())


def test_one_row_is_certain_whatever_the_share() -> None:
    for share in np.linspace(0.001, 1.0, 300):
        agent = dw.Agent(dw.Exploring(dw.Uniform(), share), n_arms=1, is_interpreted=True)
        assert agent.choose().propensity == pytest.approx(1.0, abs=1e-15)
        assert agent.choose().propensity <= 1.0


def test_golden_run() -> None:
    world = dw.worlds.Sinusoid(horizon=2000, variation=1.0, noise=0.1)
    run = dw.simulate(dw.Exploring(dw.Exp3(0.2), 0.3, 3), world, seed=0)
    assert run.total_regret == pytest.approx(342.9063382448202, rel=1e-9)
