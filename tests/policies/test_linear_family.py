"""Linear policies that forget nothing, by restarts or by discounts, against direct solves."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.ellipsoid import sampled
from driftwise.core.protocols import Choice
from driftwise.core.seeds import luck_of

Array = NDArray[np.float64]
COMMON: dict[str, Any] = {
    "noise": 0.3, "action_norm": 2.0, "parameter_norm": 1.5, "ridge": 0.7, "confidence": 0.05,
}  # fmt: skip
HORIZON = 400


def trace_radius(weight: float, d: int) -> float:
    """Radius of Abbasi-Yadkori et al. and of Russac et al., with the settings of COMMON."""
    growth = d * math.log(1.0 + weight * 2.0**2 / (0.7 * d))
    return 0.3 * math.sqrt(2.0 * math.log(1.0 / 0.05) + growth) + math.sqrt(0.7) * 1.5


class Twin:
    """All rounds, with a weight each: V, W, the estimate and the widths, from scratch."""

    def __init__(self, actions: list[Array], rewards: list[float], weights: Array, d: int) -> None:
        x, y = np.array(actions).reshape(-1, d), np.array(rewards)
        self.v = 0.7 * np.eye(d) + (x.T * weights) @ x
        self.w = 0.7 * np.eye(d) + (x.T * weights**2) @ x
        self.estimate = np.linalg.solve(self.v, x.T @ (weights * y))
        self.weight = float(np.sum(weights**2))

    def bounds(self, offer: Array, radius: float, is_sandwich: bool) -> Array:
        inverse = np.linalg.inv(self.v)
        shape = inverse @ self.w @ inverse if is_sandwich else inverse
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, shape, offer))
        return np.asarray(offer @ self.estimate + radius * widths)


def follow(policy: Any, weights_at: Callable[[int], Array], is_sandwich: bool = False) -> None:
    """Play, and check every choice against bounds computed from scratch."""
    rng = np.random.default_rng(5)
    agent = dw.Agent(policy, dimension=3, seed=1, is_interpreted=True)
    actions: list[Array] = []
    rewards: list[float] = []
    near_ties = 0
    for t in range(HORIZON):
        offer = rng.standard_normal((int(rng.integers(2, 7)), 3))
        weights = weights_at(t)
        recent = slice(t - len(weights), t)
        twin = Twin(actions[recent], rewards[recent], weights, 3)
        bounds = twin.bounds(offer, trace_radius(twin.weight, 3), is_sandwich)
        decision = agent.choose(offer)
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        gap = np.partition(bounds, -2)[-1] - np.partition(bounds, -2)[-2]
        near_ties += gap < 1e-9
        assert decision.arm == bounds.argmax() or gap < 1e-9
        assert agent.estimate == pytest.approx(twin.estimate, rel=1e-8, abs=1e-12)
        reward = float(offer[decision.arm] @ [0.5, -0.2, math.sin(t / 50)])
        reward += 0.3 * float(rng.standard_normal())
        agent.learn(decision, reward)
        actions.append(offer[decision.arm])
        rewards.append(reward)
    assert near_ties == 0


def test_lin_ucb_is_ridge_regression_on_everything() -> None:
    follow(dw.LinUCB(**COMMON), np.ones)


@pytest.mark.parametrize("period", [1, 7, 150])
def test_restart_ucb_is_lin_ucb_since_the_last_restart(period: int) -> None:
    follow(dw.RestartUCB(restart_every=period, **COMMON), lambda t: np.ones(t % period))


def test_oracle_restart_is_lin_ucb_since_the_last_change() -> None:
    changes = np.array([0, 50, 51, 300])
    follow(
        dw.OracleRestart(change_points=changes[1:], **COMMON),
        lambda t: np.ones(t - changes[changes <= t].max()),
    )


@pytest.mark.parametrize("discount", [0.3, 0.97, 1.0])
def test_discounted_lin_ucb(discount: float) -> None:
    def weights(t: int) -> Array:
        return np.asarray(discount ** np.arange(t - 1, -1, -1))

    follow(dw.DiscountedLinUCB(discount=discount, **COMMON), weights, is_sandwich=True)
    follow(dw.WeightedUCB(discount=discount, **COMMON), weights)


def test_the_determinant_radius_is_the_determinant() -> None:
    policy = dw.LinUCB(**COMMON, is_determinant=1)
    for arguments in (
        {"dimension": 2},
        {"decision_set": np.eye(2)},
        {"decision_set": [[1, 2], [3, 1]]},
    ):
        agent = dw.Agent(policy, **arguments, is_interpreted=True)
        v = 0.7 * np.eye(2)
        for reward in (0.1, 0.5, -0.4, 0.9):
            offer = [[1.0, 2.0], [3.0, 1.0]] if "dimension" in arguments else None
            decision = agent.choose(offer)
            agent.learn(decision, reward)
            v += np.outer(decision.action, decision.action)
            growth = math.log(np.linalg.det(v) / 0.7**2)
            wanted = 0.3 * math.sqrt(2.0 * math.log(20.0) + growth) + math.sqrt(0.7) * 1.5
            assert agent.memory.cells[0] == pytest.approx(wanted, rel=1e-12)


def test_rare_switching_acts_on_old_news_until_the_determinant_has_grown() -> None:
    policy = dw.LinUCB(**COMMON, patience=1.0)
    rng = np.random.default_rng(0)
    agent = dw.Agent(policy, dimension=2, is_interpreted=True)
    v, old, estimate, switches = 0.7 * np.eye(2), 0.7 * np.eye(2), np.zeros(2), 0
    for _ in range(200):
        offer = rng.standard_normal((4, 2))
        decision = agent.choose(offer)
        inverse = np.linalg.inv(old)
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, inverse, offer))
        bounds = offer @ estimate + agent.memory.cells[0] * widths
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        agent.learn(decision, float(rng.standard_normal()))
        v += np.outer(decision.action, decision.action)
        if np.linalg.det(v) > 2.0 * np.linalg.det(old):
            old, estimate, switches = v.copy(), agent.estimate, switches + 1
    assert 5 < switches < 40


@pytest.mark.parametrize("dimension", [1, 2, 6])
def test_samples_have_the_distribution_they_should(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    u = np.triu(rng.standard_normal((dimension, dimension)), 1) + np.eye(dimension)
    pivots, mean = rng.random(dimension) + 0.1, rng.standard_normal(dimension)
    draws = np.array(
        [sampled(u.T - np.eye(dimension), pivots, mean, 0.5, luck) for luck in range(20_000)]
    )
    covariance = 0.25 * (u * pivots) @ u.T
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), (draws - mean).T)
    # Four standard errors of a mean, a variance, a correlation, over all entries at once.
    assert np.abs(whitened.mean(axis=1)).max() < 4.5 / math.sqrt(20_000)
    assert np.abs(np.cov(whitened) - np.eye(dimension)).max() < 4.5 * math.sqrt(2 / 20_000)


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("discounted", [True, False])
def test_thompson_sampling_plays_the_best_arm_of_its_sample(fixed: bool, discounted: bool) -> None:
    """With a tiny spread it is greedy; how often a wide one deviates is what theory says."""
    cls: Any = dw.DiscountedLinTS if discounted else dw.LinTS
    extra = {"discount": 0.9} if discounted else {}
    greedy = dw.Agent(
        cls(**COMMON, **extra, inflation=1e-9), decision_set=np.eye(2), is_interpreted=True
    )
    for t in range(30):
        greedy.learn(greedy.choose(), 1.0 - t % 2)
    assert {greedy.choose().arm for _ in range(20)} == {int(greedy.estimate.argmax())}

    agent = dw.Agent(
        cls(**COMMON, **extra, inflation=0.3),
        **({"decision_set": np.eye(2)} if fixed else {"dimension": 2}),
        is_interpreted=True,
    )
    offer = None if fixed else np.eye(2)
    rng = np.random.default_rng(0)
    actions: list[Array] = []
    rewards: list[float] = []
    for _ in range(25):
        decision = agent.choose(offer)
        reward = float(rng.random())
        agent.learn(decision, reward)
        actions.append(decision.action)
        rewards.append(reward)
    weights = (0.9 if discounted else 1.0) ** np.arange(24.0, -1.0, -1.0)
    twin = Twin(actions, rewards, weights, 2)
    inverse = np.linalg.inv(twin.v)
    shape = inverse @ twin.w @ inverse if discounted else inverse
    spread = 0.3 if discounted else 0.3 * trace_radius(25.0, 2)
    gap = np.array([1.0, -1.0])
    z = float(gap @ twin.estimate) / (spread * math.sqrt(float(gap @ shape @ gap)))
    wanted = 0.5 * math.erfc(-z / math.sqrt(2.0))
    share = np.mean([agent.choose(offer).arm == 0 for _ in range(4000)])
    assert share == pytest.approx(wanted, abs=4.5 * math.sqrt(0.25 / 4000))
    assert 0.02 < wanted < 0.98  # otherwise this would show nothing


def test_random_optimism_is_a_random_share_of_the_radius() -> None:
    policy = dw.DiscountedRandLinUCB(discount=0.95, **COMMON)
    agent = dw.Agent(policy, decision_set=[[1.0]], is_interpreted=True)
    radius = trace_radius(0.0, 1) / math.sqrt(0.7)
    values = np.array([agent.choose().value for _ in range(4000)]) / (0.4 * radius)
    # |Z| of a standard normal Z: mean sqrt(2/pi), mean square 1.
    assert values.min() >= 0.0
    assert values.mean() == pytest.approx(math.sqrt(2.0 / math.pi), abs=4.5 * 0.6 / math.sqrt(4000))
    assert np.mean(values**2) == pytest.approx(1.0, abs=4.5 * math.sqrt(2.0 / 4000))


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 4))
def test_what_forgets_nothing_is_lin_ucb(seed: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    policies: list[Any] = [
        dw.LinUCB(**COMMON),
        dw.RestartUCB(restart_every=1000, **COMMON),
        dw.DiscountedLinUCB(discount=1.0, **COMMON),
        dw.WeightedUCB(discount=1.0, **COMMON),
        dw.OracleRestart(change_points=[1000], **COMMON),
    ]
    agents = [
        dw.Agent(each, dimension=dimension, seed=seed, is_interpreted=True) for each in policies
    ]
    for _ in range(40):
        offer, noise = rng.standard_normal((5, dimension)), float(rng.standard_normal())
        decisions = [agent.choose(offer) for agent in agents]
        for agent, decision in zip(agents, decisions, strict=True):
            assert decision.arm == decisions[0].arm
            assert decision.value == pytest.approx(decisions[0].value, rel=1e-9)
            agent.learn(decision, noise)


@settings(derandomize=True, deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_rotating_the_world_changes_no_choice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((3, 3))).Q
    for policy in (
        dw.LinUCB(**COMMON),
        dw.RestartUCB(restart_every=9, **COMMON),
        dw.DiscountedLinUCB(discount=0.9, **COMMON),
        dw.DiscountedRandLinUCB(discount=0.9, **COMMON),
        dw.WeightedUCB(discount=0.9, **COMMON),
        dw.OracleRestart(change_points=[9], **COMMON),
        dw.DetectingLinUCB(**COMMON),
        dw.Master.tuned(horizon=100, dimension=3, base="OFUL"),
        dw.BanditOverBandit.tuned(horizon=100, dimension=3, noise=0.1),
        dw.Corral.tuned(horizon=100, noise=0.1, bases=[dw.LinUCB(**COMMON), dw.RestartUCB(9, 0.1)]),
    ):
        agents = [dw.Agent(policy, dimension=3, seed=seed, is_interpreted=True) for _ in range(2)]
        for _ in range(25):
            offer, reward = rng.standard_normal((4, 3)), float(rng.standard_normal())
            arms = []
            for agent, seen in zip(agents, (offer, offer @ turn), strict=True):
                decision = agent.choose(seen)
                agent.learn(decision, reward)
                arms.append(decision.arm)
            assert arms[0] == arms[1]


@pytest.mark.parametrize(
    "policy",
    [dw.LinTS(noise=0.5), dw.DiscountedLinTS(discount=0.9, noise=0.5)],
    ids=["LinTS", "DiscountedLinTS"],
)
def test_rotating_the_world_changes_no_law_of_choices(policy: Any) -> None:
    """How often each arm is drawn, after the same rounds, seen straight and turned."""
    rng = np.random.default_rng(5)
    turn = np.linalg.qr(rng.standard_normal((3, 3))).Q
    actions, rewards, n = rng.standard_normal((12, 3)), rng.standard_normal(12), 3000
    offer = rng.standard_normal((3, 3))
    counts = []
    for view, seed in ((np.eye(3), 1), (turn, 2)):
        memory = policy.start(0, 3, None)
        policy.restart(memory, 0)
        for t in range(12):
            policy.learn(memory, actions[t] @ view, Choice(0, 1.0, 0.0), float(rewards[t]), t)
        arms = [policy.choose(memory, offer @ view, luck_of(seed) ^ i).arm for i in range(n)]
        counts.append(np.bincount(arms, minlength=3))
    spread = np.sqrt(np.maximum(counts[0], 9) + np.maximum(counts[1], 9))
    assert (np.abs(counts[0] - counts[1]) <= 4.0 * spread).all(), counts
    assert (counts[0] > 0.05 * n).sum() >= 2  # otherwise this would show little


@pytest.mark.parametrize(
    "base",
    [dw.DiscountedLinUCB(discount=0.9, noise=0.1), dw.RestartUCB(restart_every=5, noise=0.1)],
    ids=["discount", "restart"],
)
def test_bandit_over_bandit_takes_them_as_base(base: Any) -> None:
    policy = dw.BanditOverBandit.tuned(horizon=400, dimension=2, noise=0.1, base=base)
    assert policy.settings.tolist() == list(base.candidates(policy.block_length))
    world = dw.worlds.Sinusoid(horizon=400, variation=1.0)
    slow = dw.Agent(policy, decision_set=np.eye(2), seed=2, is_interpreted=True)
    (rounds,) = world.rounds(2, 400)
    lost, drawn = 0.0, set()
    for means, rewards in zip(rounds.means, rounds.rewards, strict=True):
        decision = slow.choose()
        slow.learn(decision, rewards[decision.arm])
        lost += means.max() - means[decision.arm]
        drawn.add(decision.choice.candidate)
    assert dw.simulate(policy, world, seed=2).total_regret == pytest.approx(lost, rel=1e-12)
    assert len(drawn) > 2


def test_tuned_values() -> None:
    # ALGORITHMS: Russac's abrupt circle, gamma; its restart period is that of B + 1.
    circle: dict[str, Any] = {
        "horizon": 6000,
        "dimension": 2,
        "variation": 4 + math.sqrt(2),
        "noise": 1.0,
    }
    assert dw.DiscountedLinUCB.tuned(**circle).discount == pytest.approx(0.994117, abs=5e-7)
    assert dw.DiscountedLinUCB.tuned(**circle).confidence == pytest.approx(1 / 6000**2)
    assert dw.RestartUCB.tuned(**circle).restart_every == 151
    assert dw.WeightedUCB.tuned(**circle).ridge == 2.0
    stationary = circle | {"variation": 0.0}
    assert dw.DiscountedLinUCB.tuned(**stationary).discount == 1.0
    assert dw.WeightedUCB.tuned(**stationary).discount == pytest.approx(1 - 1 / 6000)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: dw.DiscountedLinUCB(discount=0.0, noise=0.1),
            r"discount must be in \(0, 1\], got 0",
        ),
        (lambda: dw.WeightedUCB(discount=1.1, noise=0.1), r"discount must be in \(0, 1\], got 1.1"),
        (
            lambda: dw.RestartUCB(restart_every=0, noise=0.1),
            "restart_every must be at least 1 round",
        ),
        (lambda: dw.LinUCB(noise=-1.0), "noise must be at least 0, got -1.0"),
        (lambda: dw.LinUCB(noise=1.0, is_determinant=2), "is_determinant must be one of 0, 1"),
        (lambda: dw.LinUCB(noise=1.0, patience=-1.0), "patience must be at least 0, got -1.0"),
        (lambda: dw.LinTS(noise=1.0, inflation=0.0), "inflation must be above 0, got 0.0"),
        (lambda: dw.OracleRestart(change_points=[], noise=1.0), "change_points must be a list of"),
        (lambda: dw.OracleRestart(change_points=[5, 5], noise=1.0), "change_points must increase"),
        (
            lambda: dw.OracleRestart(change_points=[0.5], noise=1.0),
            "change_points must be a list of",
        ),
    ],
)
def test_bad_settings(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()


# Total regret of one run of 2,000 rounds of the sinusoid, seed 0: measured once, to notice change.
GOLDEN = {
    "LinUCB": 24.25226961905072, "LinTS": 316.3927063826689, "RestartUCB": 40.852163177752125, "DiscountedLinUCB": 29.962648184792307, "WeightedUCB": 57.13053640205565,
    "DiscountedLinTS": 79.8346106223218, "DiscountedRandLinUCB": 22.928397429293323,
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_runs(name: str) -> None:
    extra: dict[str, Any] = {"restart_every": 100} if name == "RestartUCB" else {}
    if name.startswith(("Discounted", "Weighted")):
        extra = {"discount": 0.98}
    world = dw.worlds.Sinusoid(horizon=2000, variation=1.0)
    run = dw.simulate(getattr(dw, name)(noise=0.1, **extra), world, seed=0)
    assert run.total_regret == pytest.approx(GOLDEN[name], rel=1e-9)
