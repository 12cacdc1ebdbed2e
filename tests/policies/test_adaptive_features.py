"""AdaptiveUCB on vectors, told nothing: against its recursion; units, offsets, late rewards."""

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
from driftwise.core.base.arrays import Matrix
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
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

PlayOn = Callable[..., Iterator[Any]]
HORIZON = 400
CLICKS = {"clicks": 0.5, "rare clicks": 5.0, "clicks, then amounts": 0.5}  # minus their log-odds


def path(horizon: int) -> Matrix:
    """A parameter that winds, and jumps in the middle."""
    t = np.arange(horizon) / horizon
    jump = np.where(t < 0.5, 1.0, -1.0)
    return np.stack([np.sin(9 * t), jump * np.cos(7 * t), 0.4 - t], axis=1)


def rounds_of(kind: str, offset: float = 0.0) -> Rounds:
    random = np.random.default_rng(11)
    sets = random.uniform(-1, 1, (1, 6, 3) if kind == "fixed" else (HORIZON, 5, 3))
    if kind == "sparse":
        sets *= random.random(sets.shape) < 0.5
        sets[:100, :, 2] = 0.0  # a feature that shows late
    means = np.einsum(
        "tki,ti->tk", np.broadcast_to(sets, (HORIZON, *sets.shape[1:])), path(HORIZON)
    )
    rewards = means + 0.3 * random.standard_normal(means.shape) + offset
    if kind == "late":
        rewards[:80] = offset  # nothing differs for long
    if kind in CLICKS:
        means = 1.0 / (1.0 + np.exp(CLICKS[kind] - 2.0 * means))
        rewards = (random.random(means.shape) < means) * 80.0 + offset
    if kind == "clicks, then amounts":
        rewards[300:] += 10.0 * random.standard_normal(rewards[300:].shape)
    sizes = [30.0, 1.0, 0.01] if kind == "mixed" else [1.0, 1.0, 1.0]
    return Rounds(sets * sizes, np.full(len(sets), sets.shape[1]), means, rewards)


# Nothing as it is by default, and all of it felt within some hundred rounds.
OTHER = dw.AdaptiveUCB(
    width=1.3, slowest_drift=1e-5, fastest_drift=1.0, drift_ratio=3.0, sharing=0.01, sharing_delay=40.0,
    doubt=0.9, error_cap=4.0, noise_cap=2.0, noise_memory=60.0, first_noise=0.8, least_noise=0.1,
)  # fmt: skip
CASES = [
    ("changing", 0.0, dw.AdaptiveUCB()), ("changing", 50.0, dw.AdaptiveUCB()), ("mixed", 0.0, dw.AdaptiveUCB()),
    ("sparse", 1.0, dw.AdaptiveUCB()), ("fixed", 0.0, dw.AdaptiveUCB()), ("late", 2.0, dw.AdaptiveUCB()),
    ("changing", 0.0, OTHER), ("clicks", 0.0, dw.AdaptiveUCB()), ("clicks", -7.0, OTHER),
    ("rare clicks", 1.0, dw.AdaptiveUCB()), ("clicks, then amounts", 0.0, dw.AdaptiveUCB()),
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


def arms_of(actions: Matrix, rewards: Matrix, delay: int = 0) -> list[int]:
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=actions.shape[2], is_interpreted=True)
    decisions = list[dw.Decision]()
    for t in range(len(rewards)):
        decisions.append(agent.choose(actions[t]))
        if t >= delay:
            agent.learn(decisions[t - delay], float(rewards[t - delay, decisions[t - delay].arm]))
    return [decision.arm for decision in decisions]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    kind=st.sampled_from(["changing", "sparse", "clicks"]), power=st.integers(-20, 20),
    powers=st.lists(st.integers(-10, 10), min_size=3, max_size=3), delay=st.sampled_from([0, 5]),
)  # fmt: skip
def test_units_do_not_matter(kind: str, power: int, powers: list[int], delay: int) -> None:
    """Powers of two scale without rounding, so the choices are the same to the last tie."""
    rounds = rounds_of(kind)
    actions, rewards = rounds.actions[:140], rounds.rewards[:140]
    plain = arms_of(actions, rewards, delay)
    assert arms_of(actions * 2.0 ** np.array(powers), 2.0**power * rewards, delay) == plain


def regret(scale: float, offset: float, sizes: list[float], seed: int) -> float:
    random = np.random.default_rng(seed)
    sets = random.uniform(-1, 1, (3000, 6, 4))
    means = np.einsum("tki,ti->tk", sets, np.repeat(random.standard_normal((3, 4)) / 2, 1000, 0))
    rewards = scale * (means + 0.2 * random.standard_normal(means.shape)) + offset
    agent, lost = dw.Agent(dw.AdaptiveUCB(), dimension=4, seed=seed), 0.0
    agent.warm_up()
    for t in range(3000):
        decision = agent.choose(sets[t] * sizes)
        agent.learn(decision, float(rewards[t, decision.arm]))
        lost += float(means[t].max() - means[t, decision.arm])
    return lost


@pytest.mark.parametrize(
    ("scale", "offset", "sizes"),
    [
        (1e-6, 0.0, [1.0] * 4), (1e6, 0.0, [1.0] * 4), (1.0, 10.0, [1.0] * 4), (1.0, -800.0, [1.0] * 4),
        (1.0, 0.0, [1e3] * 4), (1.0, 0.0, [1e-3] * 4), (1.0, 0.0, [1e3, 1.0, 1e-3, 30.0]),
    ],
)  # fmt: skip
def test_neither_units_nor_offsets_cost_regret(
    scale: float, offset: float, sizes: list[float]
) -> None:
    plain = sum(regret(1.0, 0.0, [1.0] * 4, seed) for seed in range(2))
    other = sum(regret(scale, offset, sizes, seed) for seed in range(2))
    assert other <= 1.2 * plain


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([0.0, 1e-310, 1e-150, 1e-3, 30.0, 1e6, 1e30]),
    reward=st.sampled_from([0.0, 1e-310, 1e-50, 1.0, 1e8, 1e99]),
    are_clicks=st.booleans(),
)  # fmt: skip
def test_beliefs_stay_beliefs(seed: int, size: float, reward: float, are_clicks: bool) -> None:
    """Whatever comes: finite numbers, weights that sum to 1, covariances without negative parts."""
    random = np.random.default_rng(seed)
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=3, is_interpreted=True)
    waiting = []
    for t in range(140):
        sizes = random.choice([1.0, 1.0, size], (4, 3))
        waiting.append(agent.choose(sizes * random.uniform(-1, 1, (4, 3))))
        if t % 3 > 0:
            late = waiting.pop(int(random.integers(len(waiting))))
            size_of_one = 1.0 if are_clicks else random.standard_normal()
            agent.learn(late, float(random.choice([1.0, reward]) * size_of_one))
        assert_sound(agent.memory)


def assert_sound(memory: AdaptiveFeatures) -> None:
    for array in arrays_in(memory):
        assert np.isfinite(array).all()
    assert memory.mixture.table[WEIGHT].sum() == pytest.approx(1.0, abs=1e-9)
    lower = memory.filters.banks.spreads[0].transpose(2, 0, 1)
    spreads = lower + np.tril(lower, -1).transpose(0, 2, 1)
    for matrix in (*spreads, *memory.filters.covariances()):
        values = np.linalg.eigvalsh(matrix)
        assert values[0] >= -1e-12 * max(values[-1], 1.0)


@pytest.mark.parametrize("n_rows", [1, 2, 4])
@pytest.mark.parametrize("size", [0.0, 1.0])
def test_rewards_without_noise_leave_beliefs_sound(
    play_on: PlayOn, n_rows: int, size: float
) -> None:
    """Rounding may take the variance of what is known exactly below zero; that must not grow."""
    random, horizon = np.random.default_rng(1), 20_000
    actions = random.normal(size=(10, 5))[:n_rows]
    means = np.repeat(size * actions @ random.normal(size=(5, 1)), horizon, axis=1).T
    means[horizon // 2 :] *= -1.0
    rounds = Rounds(actions[None], np.array([n_rows]), means, means.copy())
    for stretch in play_on(dw.AdaptiveUCB(), rounds, seed=3, size=5_000):
        assert_sound(stretch.memory)
    assert (means[-1, stretch.arms[-100:]] == means[-1].max()).mean() > 0.9


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


@pytest.mark.slow
def test_ten_million_rounds_stay_sound(play_on: PlayOn) -> None:
    random, horizon = np.random.default_rng(3), 10_000_000
    actions, t = random.uniform(-1, 1, (4, 2)), np.linspace(0.0, 60.0, horizon)
    means = np.stack([np.sin(t), np.sign(np.sin(3 * t))], axis=1) @ actions.T
    rewards = means + 0.2 * random.standard_normal(means.shape)
    rounds = Rounds(actions[None], np.array([4]), means, rewards)
    for stretch in play_on(dw.AdaptiveUCB(), rounds, seed=3, size=1_000_000):
        assert_sound(stretch.memory)
    noise = stretch.memory.units.unit() * np.sqrt(stretch.memory.mixture.mean_noise())
    assert noise == pytest.approx(0.2, rel=0.2)


def test_nothing_changed() -> None:
    """Runs with a known outcome; taken over when the recursion agreed."""
    world = dw.worlds.FreshSets(horizon=2000, dimension=3, noise=0.1)
    run = dw.simulate(dw.AdaptiveUCB(), world, seed=0)
    assert run.total_regret == pytest.approx(5.158494038977951, rel=1e-9)
    late = dw.simulate(dw.AdaptiveUCB(), world, seed=0, delay=30)
    assert late.total_regret == pytest.approx(31.00292698485837, rel=1e-9)
    clicks = dw.simulate(dw.AdaptiveUCB(), dw.worlds.AdsAllocation(horizon=2000), seed=0)
    assert clicks.total_regret == pytest.approx(25.119788481967245, rel=1e-9)
