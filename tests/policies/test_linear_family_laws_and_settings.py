"""Linear policies: the laws they draw from, the settings they take, and known runs."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.policy import Choice
from driftwise.core.models.ridge.ellipsoid import sampled
from driftwise.core.randomness.seeds import luck_of


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
        (lambda: dw.LinUCB(noise=1.0, is_determinant=2), "is_determinant must be True or False"),  # type: ignore[arg-type]
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
