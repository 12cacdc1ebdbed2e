"""An engine whose time is set by hand and whose store is a list: what most tests of the service need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.service.clock import Clock
from driftwise.service.engine import Engine
from driftwise.service.events import event_of
from driftwise.service.problem.settings import Guards, Limits, Problem, Rewards
from driftwise.service.replay import recovered
from driftwise.service.requests import (
    ControlRequest,
    DecisionReply,
    DecisionRequest,
    RefusalError,
    RewardReply,
    RewardRequest,
)
from driftwise.service.snapshots import state_bytes
from driftwise.service.state import State
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Snapshot
from driftwise.service.verify import verify

SECOND = 1_000_000
ROWS = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]


def problem(**changes: Any) -> Problem:
    """Return a problem of three arms, with a window of a minute."""
    changes.setdefault("reward", Rewards(window=60 * SECOND))
    given: dict[str, Any] = {
        "name": "test", "policy": dw.AdaptiveUCB(), "arms": ("red", "green", "blue"),
        "dimension": 3, "guards": Guards(fallback=1), "limits": Limits(),
    }  # fmt: skip
    return Problem(**(given | changes))


def actions_problem(**changes: Any) -> Problem:
    """Return a problem whose actions come with each request."""
    return problem(arms=(), dimension=2, **changes)


class Desk:
    """An engine, its store and its clock."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.store = problem, MemoryStore()
        self.time = 1_000 * SECOND
        self.start()

    def start(self, is_alike: str = "") -> None:
        """Start, as a service does that was away; the state may have to have some digest."""
        found = recovered(self.problem, self.store)
        assert is_alike in ("", found.state.digest)
        clock = Clock(found.state.t, wall=lambda: self.time, uptime=lambda: self.time)
        self.engine = Engine(self.problem, found.state, found.begun, self.store.find, clock)
        self.flush()

    def flush(self) -> None:
        """Make everything durable."""
        self.store.append(self.engine.queue)
        self.engine.queue = []

    def snapshot(self) -> None:
        """Keep the state as it is."""
        state = self.state
        self.store.save(Snapshot(state.seq, state.t, state_bytes(state)))

    @property
    def state(self) -> State:
        return self.engine.state

    def decide(self, name: str | None = None, **fields: Any) -> DecisionReply:
        if not self.problem.arms:
            fields.setdefault("actions", ROWS)
        try:
            return self.engine.decide(DecisionRequest(name, **fields))
        finally:
            self.flush()

    def reward(self, name: str, value: float, **fields: Any) -> RewardReply:
        try:
            return self.engine.reward(RewardRequest(name, value, **fields))
        finally:
            self.flush()

    def control(self, **fields: Any) -> None:
        self.engine.control(ControlRequest("a test", **fields), "tester")
        self.flush()

    def wait(self, seconds: float) -> None:
        """Let time pass, and windows close."""
        self.time += round(seconds * SECOND)
        self.engine.pass_time()
        self.flush()

    def lessons(self) -> list[tuple[int, float]]:
        """Record, from now on, the arm and the reward of everything that the agent learns."""
        agent, heard = self.state.learner.agent, list[tuple[int, float]]()
        learn = agent.learn

        def overheard(decision: dw.Decision, reward: float) -> None:
            # Of arms, rows are those of the identity; an arm that is off has none.
            heard.append((int(np.argmax(decision.action)), reward))
            learn(decision, reward)

        agent.learn = overheard  # type: ignore[method-assign]  # of this agent only
        return heard

    def kinds(self) -> list[str]:
        """Return the kinds of all events since the beginning."""
        return [type(event_of(row).body).__name__ for row in self.store.read()][2:]

    def check(self) -> None:
        """Hold the state to a replay, and every choice to a second one."""
        again, _ = verify(self.problem, self.store.read())
        assert again.digest == self.state.digest
        assert again.learner.agent.digest == self.state.learner.agent.digest
        assert recovered(self.problem, self.store).state.digest == self.state.digest


def refused(status: int, call: Any, *arguments: Any, **fields: Any) -> RefusalError:
    with pytest.raises(RefusalError) as caught:
        call(*arguments, **fields)
    assert caught.value.status == status
    return caught.value
