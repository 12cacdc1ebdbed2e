"""What a problem file may say anew while its log goes on: what is taken in, kept and followed."""

from __future__ import annotations

from typing import Any

import pytest

from driftwise.service.events import Decided, event_of
from driftwise.service.operations import operating
from driftwise.service.requests import DecisionRequest, RefusalError
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from tests.service.small_service import SETTINGS, TEXT, is_whole, live, problem, serving

PLAIN = TEXT.replace("[log]\ncontext = true\n", "")


def test_limits_and_what_is_kept_may_change() -> None:
    """Who is told that too many decisions are open must be able to allow more."""
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 20)
        await operating.upgrade(service, SETTINGS, "me", "test", is_dry=False)

    async def more(service: Service) -> None:
        engine = service.engine
        assert (engine.problem.limits.rate, engine.state.learner.problem.limits.actions) == (9.0, 7)
        for i in range(5):
            engine.decide(DecisionRequest(f"more-{i}", {"who": 0.5}))
            await service.durable()
        with pytest.raises(RefusalError, match="too many"):
            engine.decide(DecisionRequest("one too many", {"who": 0.5}))

    serving(store, talk)
    text = f"{PLAIN}\n[limits]\nopen = 9\nrate = 9.0\nactions = 7\n"
    serving(store, more, problem(text))
    kept: list[Any] = [event_of(row).body for row in store.read()]
    told = [body.context is not None for body in kept if isinstance(body, Decided)]
    assert told == [True] * 20 + [False] * 5
    is_whole(store)


@pytest.mark.parametrize(
    "text", [f"{TEXT}\n[limits]\nusers = 7", f"{TEXT}\n[reward]\nwindow = '3h'"]
)
def test_what_the_log_was_made_by_may_not(text: str) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 3)

    serving(store, talk)
    with pytest.raises(ValueError, match="with which the log began"):
        serving(store, talk, problem(text))
