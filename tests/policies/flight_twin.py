"""What is in flight, decision by decision, for reading: what policies that count it are held to."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.models.flight import SLOTS

Array = NDArray[np.float64]

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


def recent(n: int) -> Array:
    return np.asarray(np.arange(n - 1, -1, -1) < 8, float)


def fading(n: int) -> Array:
    return np.asarray(0.9 ** np.arange(n - 1, -1, -1.0))
