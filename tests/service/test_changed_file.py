"""What a problem file may say anew while its log goes on: what is taken in, kept and followed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from driftwise.service.events import Decided, event_of
from driftwise.service.files import problem_at_first
from driftwise.service.operations import operating
from driftwise.service.problem.reading import parse_problem
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
    ("text", "told"),
    [
        (f"{TEXT}\n[limits]\nusers = 7", "limits.users of the problem file must be left out"),
        (f"{TEXT}\n[reward]\nwindow = '3h'", "reward.window .* left out, as in the log, got '3h'"),
        (TEXT.replace("share = 0.2", ""), "exploration.share .* 0.2, as in the log, got left out"),
        (f"{TEXT}\n[template]", "template"),
    ],
)
def test_what_the_log_was_made_by_may_not(text: str, told: str) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 3)

    serving(store, talk)
    with pytest.raises(ValueError, match=told):
        serving(store, talk, problem(text))


def test_a_problem_of_a_template_goes_on_with_other_limits() -> None:
    text = 'arms = ["red", "blue"]\n[template]\n'
    now = replace(parse_problem(f"{text}[limits]\nopen = 9\n", "shops"), name="shops.berlin")
    found = problem_at_first(now, [(0, text)])
    assert (found.name, found.limits.open) == ("shops.berlin", 9)
