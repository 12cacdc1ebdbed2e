"""Decisions in flight make widths as narrow as their rewards will, and estimates stay as they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.models.arms.bernoulli import upper_bound
from driftwise.core.models.flight import SLOTS
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

Array = NDArray[np.float64]
COMMON: dict[str, Any] = {"noise": 0.3, "ridge": 0.7}
AXES = np.diag([1.0, -2.0, 0.5])
TILTED = np.random.default_rng(8).standard_normal((5, 3))

bounded = settings(derandomize=True, deadline=None, max_examples=25, database=None)
# Of each round: how many decisions get their reward then, which of those that wait, and whether one is
# given up.
rounds = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 30), st.booleans()), min_size=1, max_size=45
)


class Twin:
    """Decisions that wait, in their order; those of which nothing will be heard any more are dropped."""

    def __init__(self, most: int) -> None:
        self.most = min(most, SLOTS)
        self.made: list[dw.Decision] = []
        self.landed: set[int] = set()
        self.mean, self.deviation, self.heard, self.last = 0.0, 0.0, 0, 0
        self.lost, self.ended = 0.0, 0
        self.chances: dict[int, float] = {}  # by luck

    def waiting(self) -> list[dw.Decision]:
        return [each for each in self.made if each.luck not in self.landed]

    def counts(self) -> Array:
        """Return what each of those counts: the share that was heard of those before it."""
        return np.array([self.chances[each.luck] for each in self.waiting()])

    def expect(self, decision: dw.Decision) -> None:
        limit = 2 + int(self.mean + 2.0 * self.deviation) if self.heard else SLOTS
        while len(self.made) >= min(limit, self.most):
            if self.heard:
                self.count_end()
            self.landed.add(self.made[0].luck)
            self.drop()
        self.made.append(decision)
        self.chances[decision.luck] = int(1024 * (1.0 - self.lost) + 0.5) / 1024
        self.last = 0

    def settle(self, decision: dw.Decision) -> None:
        if self.waiting() and self.last == 0:
            self.last = len(self.made) + 1
        if decision.luck in [each.luck for each in self.waiting()]:
            ages = [each.luck for each in reversed(self.made)]
            self.last = 1 + ages.index(decision.luck)
            self.count_end()
            self.landed.add(decision.luck)
            self.drop()

    def count_end(self) -> None:
        self.ended = min(self.ended + 1, 100)
        self.lost += (1.0 - self.lost) / self.ended

    def drop(self) -> None:
        while self.made and self.made[0].luck in self.landed:
            self.made.pop(0)

    def hear(self) -> None:
        if self.last:
            self.lost = max(self.lost - 1.0 / max(self.ended, 1), 0.0)
        if self.waiting():
            self.heard = min(self.heard + 1, 100)
            later = self.last - self.mean
            self.mean += later / self.heard
            self.deviation += (abs(later) - self.deviation) / self.heard
        self.last = 0


class Play:
    """An agent, and what happened to it, by hand."""

    def __init__(self, policy: Any, rows: Array | None, reward_of: Any = None, **kind: Any) -> None:
        self.reward_of = reward_of or (lambda rng: float(rng.standard_normal()))
        self.rng, self.rows = np.random.default_rng(3), rows
        kind = kind or ({"dimension": 3} if rows is None else {"decision_set": rows})
        self.agent = dw.Agent(policy, is_interpreted=True, **kind)
        settings = policy._asdict()
        self.twin = Twin(settings.get("window", settings.get("restart_every", SLOTS)))
        self.open: dw.Decision | None = None
        self.learnt: list[tuple[Array, float, int]] = []
        self.due: list[dw.Decision] = []

    def offer(self) -> Array:
        return self.rng.standard_normal((4, 3)) if self.rows is None else self.rows

    def choose(self, offer: Array) -> dw.Decision:
        if self.open is not None:
            self.twin.expect(self.open)
        decision = self.agent.choose(offer if self.rows is None else None)
        self.open = decision
        self.due.append(decision)
        return decision

    def hear(self, which: int, is_given_up: bool) -> None:
        decision = self.due.pop(which % len(self.due))
        is_open = self.open is not None and self.open.luck == decision.luck
        if is_open:
            self.open = None
        else:
            self.twin.settle(decision)
        if is_given_up:
            self.agent.give_up(decision)
            return
        self.twin.hear()
        reward = self.reward_of(self.rng)
        self.agent.learn(decision, reward)
        self.learnt.append((decision.action, reward, decision.arm))


def summed(actions: list[Array], weights: Array) -> Array:
    x = np.array(actions).reshape(-1, 3)
    return np.asarray((x.T * weights) @ x)


def recent(n: int) -> Array:
    return np.asarray(np.arange(n - 1, -1, -1) < 8, float)


def fading(n: int) -> Array:
    return np.asarray(0.9 ** np.arange(n - 1, -1, -1.0))


def since_restart(n: int) -> Array:
    return np.asarray(np.arange(n) >= n - n % 9, float)


LINEAR: dict[str, tuple[Any, Callable[[int], Array]]] = {
    "window": (dw.SlidingWindowUCB(window=8, **COMMON), recent),
    "discount": (dw.DiscountedLinUCB(discount=0.9, **COMMON), fading),
    "restarts": (dw.RestartUCB(restart_every=9, **COMMON), since_restart),
    "everything": (dw.LinUCB(**COMMON), np.ones),
}


@pytest.mark.parametrize("rows", [AXES, TILTED, None], ids=["axes", "tilted", "changing"])
@pytest.mark.parametrize("name", LINEAR)
@given(happening=rounds)
@bounded
def test_bounds_with_all_rows_in_flight_inserted(
    name: str, rows: Array | None, happening: list[tuple[int, int, bool]]
) -> None:
    policy, weights_of = LINEAR[name]
    play = Play(policy, rows)
    for count, which, is_given_up in happening:
        offer = play.offer()
        decision = play.choose(offer)
        weights = weights_of(len(play.learnt))
        actions = [action for action, _, _ in play.learnt]
        flying = [each.action for each in play.twin.waiting()]
        in_flight = summed(flying, play.twin.counts())
        gram = 0.7 * np.eye(3) + summed(actions, weights)
        rewards = np.array([reward for _, reward, _ in play.learnt])
        estimate = np.linalg.solve(gram, np.array(actions).reshape(-1, 3).T @ (weights * rewards))
        assert play.agent.estimate == pytest.approx(estimate, rel=1e-8, abs=1e-12)
        inverse = np.linalg.inv(gram + in_flight)
        squares = 0.7 * np.eye(3) + summed(actions, weights**2) + in_flight
        shape = inverse @ squares @ inverse if name == "discount" else inverse
        widths = np.sqrt(np.einsum("ki,ij,kj->k", offer, shape, offer))
        bounds = offer @ estimate + play.agent.memory.radius[0] * widths
        assert decision.value == pytest.approx(bounds.max(), rel=1e-9)
        assert bounds[decision.arm] == pytest.approx(bounds.max(), rel=1e-9)
        for _ in range(min(count, len(play.due))):
            play.hear(which, is_given_up)


@pytest.mark.parametrize("cls", [dw.LinTS, dw.DiscountedLinTS, dw.DiscountedRandLinUCB])
def test_draws_are_narrower(cls: Any) -> None:
    """By far: a hundred decisions are in flight after one reward."""
    policy = cls.tuned(horizon=1000, noise=0.3, **({} if cls is dw.LinTS else {"dimension": 1}))
    spreads = []
    for in_flight in (0, 100):
        agent = dw.Agent(policy, dimension=1, is_interpreted=True)
        agent.learn(agent.choose([[1.0]]), 0.0)
        for _ in range(in_flight + 1):
            agent.choose([[1.0]])
        memory, one = agent.memory, np.ones((1, 1))
        spreads.append(np.std([policy.choose(memory, one, luck).value for luck in range(99)]))
    assert spreads[1] < 0.5 * spreads[0]


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


@pytest.mark.parametrize("delay", [0, 30])
def test_a_pool_of_one_model_is_linucb_late_or_not(delay: int) -> None:
    """With a margin that nothing fails, the model that acts counts what is in flight as LinUCB does."""
    sets = np.random.default_rng(5).standard_normal((120, 4, 3))
    arms = []
    for policy in (dw.DetectingLinUCB(noise=2.0), dw.LinUCB(noise=2.0)):
        agent, decisions = dw.Agent(policy, dimension=3, seed=1, is_interpreted=True), []
        for t in range(120):
            decisions.append(agent.choose(sets[t]))
            if t >= delay:
                due = decisions[t - delay]
                agent.learn(due, float(due.action @ [0.5, -0.2, 0.1]))
        arms.append([each.arm for each in decisions])
    assert arms[0] == arms[1]


def test_what_is_never_heard_of_fades() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    for t in range(2 * SLOTS):
        agent.choose()
        in_flight = agent.memory.pending.gram.sum()
        assert in_flight == min(t, SLOTS)
    # The next rewards come at once, so nobody waits for the others any more.
    for _ in range(200):
        agent.learn(agent.choose(), 0.5)
        agent.choose()
    assert agent.memory.pending.gram.sum() <= 4


def test_delays_that_become_longer_are_found_out() -> None:
    """What was taken for lost too early, and comes, says so."""
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    decisions = []
    for t in range(1000):
        decisions.append(agent.choose())
        late = 10 if t < 200 else 100
        if t not in range(200, 290) and t >= late:
            agent.learn(decisions[t - late], 0.5)
        if t in (199, 999):
            assert agent.memory.pending.gram.sum() == late - 1  # the newest is not counted yet


@pytest.mark.parametrize("is_told", [False, True], ids=["unheard", "given up"])
def test_decisions_count_by_the_share_that_is_heard(is_told: bool) -> None:
    """Three of four rewards never come, the others come 20 rounds late: what is older has no hope."""
    agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
    decisions = []
    for t in range(1000):
        decisions.append(agent.choose())
        if t >= 20:
            if (t - 20) % 4 == 0:
                agent.learn(decisions[t - 20], 0.5)
            elif is_told:
                agent.give_up(decisions[t - 20])
    assert agent.memory.pending.gram.sum() == pytest.approx(20 / 4, abs=1.0)


def test_a_giant_that_lands_leaves_no_trace() -> None:
    agent = dw.Agent(dw.LinUCB(noise=0.1, action_norm=1e8), dimension=2, is_interpreted=True)
    small = agent.choose([[0.3, 0.1]])
    giant = agent.choose([[1e8, 3e7]])
    agent.choose([[0.2, 0.7]])
    agent.give_up(giant)
    row = small.action
    wanted = np.tril(np.outer(row, row))
    assert agent.memory.pending.gram == pytest.approx(wanted, rel=1e-14)
    agent.give_up(small)
    assert not agent.memory.pending.gram.any()


def test_late_rewards_cost_little() -> None:
    """Without the count, ten rounds of delay cost two and a half times as much."""
    world = dw.worlds.Sinusoid(horizon=3000, variation=1.0, noise=0.1)
    policy = dw.SlidingWindowUCB(window=200, noise=0.1)
    at_once, late = (
        np.mean([dw.simulate(policy, world, seed=s, delay=delay).total_regret for s in range(4)])
        for delay in (0, 10)
    )
    assert late < 1.3 * at_once
