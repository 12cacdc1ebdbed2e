"""A small service, served to a test: people come and rewards do, and what must be true of its log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

import driftwise as dw
from driftwise.service.events import Decided, Rewarded, Row, event_of
from driftwise.service.problem.reading import parse_problem
from driftwise.service.problem.settings import Problem
from driftwise.service.replay import recovered
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.protocol import Store
from driftwise.service.verify import verify_all

TEXT = """
arms = ["red", "green", "blue"]
[context.who]
kind = "number"
low = 0
high = 1
[exploration]
share = 0.2
[policy]
name = "SlidingWindowUCB"
window = 50
noise = 0.3
[log]
context = true
"""
SETTINGS: dict[str, Any] = {"name": "LinUCB", "noise": 0.1}
Talk = Callable[[Service], Awaitable[Any]]


def problem(text: str = TEXT) -> Problem:
    return parse_problem(text, "test")


def serving(store: Store, talk: Talk, of: Problem | None = None, *, stops: bool = True) -> Any:
    """Start a service on a store, talk to it, and stop it, or leave it as a kill would."""

    async def run() -> Any:
        service = Service(of or problem(), lambda: store)
        await service.start()
        try:
            return await talk(service)
        finally:
            if stops:
                await service.stop()

    return asyncio.run(run())


async def live(service: Service, n: int, start: int = 0) -> None:
    """Decide and reward; of every fifth the reward does not come, yet."""
    for i in range(start, start + n):
        user = "jane" if i == 7 else None
        request = DecisionRequest(f"person-{i}", {"who": (i % 7) / 7}, user=user)
        reply = service.engine.decide(request)
        await service.durable()
        if i % 5:
            value = float((reply.arm + i % 3) % 3 == 0)
            service.engine.reward(RewardRequest(f"person-{i}", value))
            await service.durable()


def twin(rows: Sequence[Row], policy: Any, is_learnt: Callable[[int, int], bool]) -> np.ndarray:
    """Return the estimate of an agent that plays what the log played, and learns some of its rewards."""
    own = problem()
    agent = dw.Agent(policy, dimension=own.dimension, seed=own.seed)
    open_: dict[str, tuple[int, dw.Decision]] = {}
    for row in rows:
        body = event_of(row).body
        if isinstance(body, Decided):
            offered = np.frombuffer(body.rows).reshape(-1, own.dimension)
            made = agent.choose(offered)
            assert body.propensity is not None
            made = agent.played(made, body.row, offered[body.row], body.propensity)
            open_[row.id] = body.seq, made
        elif isinstance(body, Rewarded):
            seq, made = open_.pop(row.id)
            if is_learnt(seq, row.seq):
                agent.learn(made, body.value)
    return agent.estimate


def verified(store: Store) -> Any:
    rows = list(store.read())
    return verify_all(
        problem(), rows, read=lambda after, until: store.read(after=after, until=until)
    )


def is_whole(store: Store) -> None:
    """Hold the state by snapshot to that by all events."""
    by_all = verified(store).state
    assert recovered(problem(), store).state.digest == by_all.digest
