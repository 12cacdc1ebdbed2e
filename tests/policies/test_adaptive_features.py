"""AdaptiveUCB on vectors, told nothing: against its recursion, clicks and late rewards too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import driftwise as dw
from driftwise.core.models.kalman.adaptive_features import AdaptiveFeatures
from driftwise.core.models.kalman.feature_clicks import most_probable
from driftwise.core.models.kalman.filters import mirrored
from driftwise.core.models.kalman.landing import write_landed
from driftwise.core.models.kalman.mixture import NOISE, WEIGHT
from driftwise.core.randomness import draws
from driftwise.core.randomness.seeds import luck_of
from driftwise.features import Constant, Encoder, Number, PerAction
from tests.policies.adaptive_features_twin import BlocksTwin, FeaturesTwin
from tests.policies.near_ties import is_near_tie
from tests.policies.winding import HORIZON, rounds_of

PlayOn = Callable[..., Iterator[Any]]
# Nothing as it is by default, and all of it felt within some hundred rounds.
OTHER = dw.AdaptiveUCB(
    width=1.3, slowest_drift=1e-5, fastest_drift=1.0, drift_ratio=3.0, sharing=0.01, sharing_delay=40.0,
    doubt=0.9, error_cap=4.0, noise_cap=2.0, noise_memory=60.0, first_noise=0.8, least_noise=0.1,
)  # fmt: skip
CASES = [
    ("changing", 0.0, dw.AdaptiveUCB()), ("changing", 50.0, dw.AdaptiveUCB()), ("mixed", 0.0, dw.AdaptiveUCB()),
    ("sparse", 1.0, dw.AdaptiveUCB()), ("fixed", 0.0, dw.AdaptiveUCB()), ("late", 2.0, dw.AdaptiveUCB()),
    ("changing", 0.0, OTHER), ("clicks", 0.0, dw.AdaptiveUCB()), ("clicks", -7.0, OTHER),
    ("others", 3.0, dw.AdaptiveUCB()), ("rare clicks", 1.0, dw.AdaptiveUCB()), ("clicks, then amounts", 0.0, dw.AdaptiveUCB()),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "offset", "policy"), CASES)
def test_plays_the_recursion(
    kind: str, offset: float, policy: dw.AdaptiveUCB, play_on: PlayOn
) -> None:
    rounds, seed, t, near_ties = rounds_of(kind, offset), 3, 0, 0
    twin = FeaturesTwin(policy, 3)
    for stretch in play_on(policy, rounds, seed=seed, size=40):
        for arm in stretch.arms:
            actions = rounds.actions[t if len(rounds.actions) > 1 else 0]
            near_ties += is_near_tie(twin.scores(actions, []), arm, near=1e-8)
            luck = draws.fork(draws.fork(luck_of(seed), t))
            threshold = 0.5 + draws.uniform(luck, 0)
            twin.observe(actions[arm], float(rounds.rewards[t, arm]), threshold)
            t += 1
        assert_same(stretch.memory, twin)
        assert stretch.memory.clicks.are_on() == twin.clicks
    assert t == HORIZON
    assert twin.clicks == (kind in ("clicks", "rare clicks"))
    assert near_ties <= (40 if kind == "sparse" else 8)  # equal rows, or before anything is known


def assert_same(memory: AdaptiveFeatures, twin: FeaturesTwin) -> None:
    filters, table, theirs = memory.filters.banks, memory.mixture.table, twin.filters
    sizes = np.where(memory.units.scale > 0, twin.share / np.maximum(memory.units.scale, 1e-9), 0)
    for ours, wanted in [
        (sizes, twin.size),
        (filters.moments[0, 0].T, theirs.m),
        (table[WEIGHT], theirs.w),
        (table[NOISE], theirs.R2),
        (mirrored(filters.shapes[0, 0]), theirs.C),
        (filters.shapes[0, 1], theirs.U),
    ]:
        np.testing.assert_allclose(ours, wanted, rtol=1e-6, atol=1e-9 * np.abs(wanted).max())


def test_late_rewards_count_while_they_are_in_flight(
    arrivals: Callable[[int], list[list[int]]],
) -> None:
    rounds, policy = rounds_of("fixed"), dw.AdaptiveUCB()
    agent = dw.Agent(policy, decision_set=rounds.actions[0], seed=4, is_interpreted=True)
    twin, decisions, n_open = FeaturesTwin(policy, 3), list[dw.Decision](), 0
    for t, come in enumerate(arrivals(HORIZON)):
        decisions.append(agent.choose())
        pending = agent.memory.pending
        first, span, count = pending.clock
        slots = (first + np.arange(span)) % pending.lucks.size
        flying = [pending.rows[slot] for slot in slots if pending.lucks[slot] >= 0]
        assert len(flying) == count
        n_open += count > 0
        is_near_tie(twin.scores(rounds.actions[0], flying), decisions[t].arm, near=1e-7)
        for s in come:
            reward = float(rounds.rewards[s, decisions[s].arm])
            agent.learn(decisions[s], reward)
            threshold = 0.5 + draws.uniform(draws.fork(decisions[s].luck), 0)
            twin.observe(decisions[s].action, reward, threshold)
    assert n_open > 100


def test_blocks_have_a_constant_each_and_share_units() -> None:
    """Where a row touches one block of features, filters of all blocks and constants say the same."""
    encoder = Encoder(
        context={"one": Constant(alone=False), "x": Number(0, 9, alone=False)},
        per_action=PerAction(["context.one", "context.x"], names=["a", "b", "c"]),
    )
    policy = dw.AdaptiveUCB()
    agent = dw.Agent(policy, encoder=encoder, seed=4, is_interpreted=True)
    twin, random, names = BlocksTwin(policy, 3, 2), np.random.default_rng(6), ["a", "b", "c"]
    for t in range(200):
        x = float(random.uniform(0, 9))
        decision = agent.choose(context={"x": x}, actions={name: {} for name in names})
        rows = encoder.rows({"x": x}, {name: {} for name in names}, encoder.roster())
        is_near_tie(twin.scores(rows, []), decision.arm, near=1e-8)
        reward = 5.0 * decision.arm + x * np.sin(t / 30 + decision.arm) + float(random.normal())
        agent.learn(decision, reward)
        threshold = 0.5 + draws.uniform(draws.fork(decision.luck), 0)
        twin.observe(rows[decision.arm], reward, threshold)
    np.testing.assert_allclose(agent.memory.mixture.table[WEIGHT], twin.filters.w, rtol=1e-6)
    means = agent.memory.filters.banks.vectors[:, 0].ravel()
    np.testing.assert_allclose(means, twin.filters.mean, rtol=1e-6, atol=1e-9)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6), n_flying=st.integers(0, 6), noise=st.sampled_from([1e-6, 0.1, 10.0])
)
def test_landing_is_the_inverse_of_a_sum_of_inverses(
    seed: int, n_flying: int, noise: float
) -> None:
    random = np.random.default_rng(seed)
    root, xs = random.standard_normal((4, 4)), random.standard_normal((n_flying, 4))
    shape, gram, out = root @ root.T + 0.1 * np.eye(4), xs.T @ xs, np.zeros((4, 4))
    write_landed(np.tril(shape), np.tril(gram), noise, np.empty((4, 4)), np.empty(4), out)
    expected = np.linalg.inv(np.linalg.inv(shape) + gram / noise)
    np.testing.assert_allclose(mirrored(out), expected, atol=1e-8 * np.abs(shape).max())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(before=st.floats(-6.0, 6.0), spread=st.floats(1e-6, 4.0), hit=st.booleans())
def test_a_click_moves_log_odds_to_the_most_probable(
    before: float, spread: float, hit: bool
) -> None:
    def slope(z: float) -> float:
        return z - before - spread * (hit - 1.0 / (1.0 + math.exp(-z)))

    root = brentq(slope, before - spread, before + spread)
    (after, *_), (curvature, *_) = most_probable(np.array([before]), np.array([spread]), float(hit))
    assert after == pytest.approx(root, abs=0.02 * spread)
    assert curvature == pytest.approx(math.exp(-after) / (1.0 + math.exp(-after)) ** 2)


def test_told_rates_are_those_of_clicks() -> None:
    """The rates told lie between 0 and 1, and within their errors of the truth; prices do not matter."""
    random, agent = np.random.default_rng(8), dw.Agent(dw.AdaptiveUCB(), dimension=2, seed=1)
    agent.warm_up()
    z_scores, price = [], 12.5
    for t in range(4000):
        actions = random.uniform(-1, 1, (3, 2))
        rates = 1.0 / (1.0 + np.exp(3.0 - actions @ [2.0, -1.0]))
        if t % 100 == 99:
            told = agent.explain(actions)
            for each, rate in zip(told["actions"], rates, strict=True):
                assert 0.0 < each["mean"] < each["upper_bound"] < price
                z_scores.append((each["mean"] - price * rate) / each["standard_error"])
        decision = agent.choose(actions)
        agent.learn(decision, price * float(random.random() < rates[decision.arm]))
    assert np.sqrt(np.mean(np.square(z_scores))) < 1.5
    assert "Rewards have been 0 or 12.5: they are taken for clicks" in " ".join(told["summary"])


def test_what_it_tells_is_what_it_does(arrivals: Callable[[int], list[list[int]]]) -> None:
    """The winner that is told is played, late rewards or not; the offset is told."""
    rounds, decisions, reasons = rounds_of("fixed", offset=7.0), list[dw.Decision](), set()
    agent = dw.Agent(dw.AdaptiveUCB(), decision_set=rounds.actions[0], is_interpreted=True)
    for come in arrivals(HORIZON):
        agent._expect_open(None)  # what the next choice tells first
        told = agent.explain()
        decisions.append(agent.choose())
        winner = told["winner"]
        reasons.add(winner["reason"])
        if winner["reason"] != "one of several equals":
            assert winner["arm"] == decisions[-1].arm
            bound = told["actions"][winner["arm"]]["upper_bound"]
            assert bound == pytest.approx(decisions[-1].value)
        for s in come:
            agent.learn(decisions[s], float(rounds.rewards[s, decisions[s].arm]))
    assert told["intercepts"] == pytest.approx([7.0], abs=0.5)
    assert told["noise"] == pytest.approx(0.3, rel=0.3)
    assert reasons >= {"largest mean", "still uncertain", "probe: not seen for long"}


def test_nothing_changed() -> None:
    """Runs with a known outcome; taken over when the recursion agreed."""
    world = dw.worlds.FreshSets(horizon=2000, dimension=3, noise=0.1)
    run = dw.simulate(dw.AdaptiveUCB(), world, seed=0)
    assert run.total_regret == pytest.approx(5.158494038977951, rel=1e-9)
    late = dw.simulate(dw.AdaptiveUCB(), world, seed=0, delay=30)
    assert late.total_regret == pytest.approx(31.00292698485837, rel=1e-9)
    clicks = dw.simulate(dw.AdaptiveUCB(), dw.worlds.AdsAllocation(horizon=2000), seed=0)
    assert clicks.total_regret == pytest.approx(25.119788481967245, rel=1e-9)
