"""A declaration that grows: more fields, values or arms, and what was learnt goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.service.events import Decided, Operated, Rewarded, event_of
from driftwise.service.export import lines_of
from driftwise.service.operations import operating
from driftwise.service.problem.settings import Problem
from driftwise.service.replay import recovered
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.verify import verify_all
from tests.service.small_service import SETTINGS, TEXT, live, problem, serving

WHERE = '[context.where]\nkind = "category"\nvalues = ["de", "fr"]\n[exploration]'
MORE = TEXT.replace("[exploration]", WHERE)
WIDER = MORE.replace('"blue"]', '"blue", "white"]')
PLAIN = 'arms = ["red", "green"]\n[policy]\nname = "SlidingWindowUCB"\nwindow = 50\nnoise = 0.3\n'


async def go_on(service: Service, n: int, **context: Any) -> None:
    """Decide and reward with more than before."""
    for i in range(n):
        reply = service.engine.decide(DecisionRequest(None, {"who": i % 7 / 7} | context))
        service.engine.reward(RewardRequest(reply.id, float(reply.arm == 0)))
    await service.durable()


def extended(store: MemoryStore, text: str, of: Problem | None = None, n: int = 40) -> Any:
    async def talk(service: Service) -> Any:
        await live(service, n)
        return await operating.extend(service, problem(text), "me", "test", is_dry=False)

    return serving(store, talk, of)


def is_whole(store: MemoryStore, text: str) -> None:
    now = problem(text)
    found = recovered(now, store)
    rows = list(store.read())
    again = verify_all(
        found.problem, rows, read=lambda after, until: store.read(after=after, until=until)
    )
    assert again.choices == sum(isinstance(event_of(row).body, Decided) for row in rows)
    assert again.operations == sum(isinstance(event_of(row).body, Operated) for row in rows)
    assert again.state.digest == found.state.digest


def test_what_was_learnt_goes_on() -> None:
    """The memory is that of an agent which had been offered longer rows, in which what is new is 0."""
    store = MemoryStore()
    found = extended(store, MORE)
    assert (found.learnt, found.lost) == (32, 0)
    after = problem(MORE)
    assert after.encoder is not None
    is_new = np.array(["where" in name for name in after.encoder.names])
    twin = dw.Agent(after.policy, dimension=after.dimension, seed=after.seed)
    open_ = {}
    for row in store.read():
        body = event_of(row).body
        if isinstance(body, Decided):
            context = {**(body.context or {}), "where": "de"}
            rows = np.where(is_new, 0.0, after.encoder.rows(context, after.features))
            made = twin.choose(rows)
            assert body.propensity is not None
            open_[row.id] = twin.played(made, body.row, rows[body.row], body.propensity)
        elif isinstance(body, Rewarded):
            twin.learn(open_.pop(row.id), body.value)
    state = recovered(after, store).state
    np.testing.assert_allclose(state.learner.agent.estimate, twin.estimate, atol=1e-12)


def test_requests_of_before_are_answered_where_a_new_field_may_be_missing() -> None:
    store = MemoryStore()
    text = MORE.replace('values = ["de", "fr"]', 'values = ["de", "fr"]\nmissing = "own column"')
    extended(store, text, n=10)

    async def talk(service: Service) -> None:
        await go_on(service, 5)
        await go_on(service, 5, where="de")

    serving(store, talk, problem(text))
    is_whole(store, text)


@pytest.mark.parametrize("text", [MORE, WIDER])
def test_it_is_served_and_operated_on(text: str) -> None:
    store = MemoryStore()
    extended(store, text)

    async def talk(service: Service) -> None:
        await go_on(service, 30, where="de")
        # Of an open decision of before the reward is learnt.
        assert service.engine.reward(RewardRequest("person-0", 1.0)).status == "learnt"
        await operating.upgrade(service, SETTINGS, "me", "test", is_dry=False)
        await operating.censor(service, "me", "test", ids=["person-1"], is_dry=False)
        await go_on(service, 10, where="fr")

    serving(store, talk, problem(text))
    is_whole(store, text)
    arms = {body.arm for row in store.read() if isinstance(body := event_of(row).body, Decided)}
    assert arms == set(range(len(problem(text).arms)))


def test_it_may_grow_again() -> None:
    store = MemoryStore()
    extended(store, MORE)

    async def talk(service: Service) -> None:
        await go_on(service, 20, where="de")
        await operating.extend(service, problem(WIDER), "me", "test", is_dry=False)

    serving(store, talk, problem(MORE), stops=False)  # as a kill would, without a snapshot

    async def more(service: Service) -> None:
        service.engine.reward(RewardRequest("person-5", 1.0))
        await go_on(service, 20, where="de")

    serving(store, more, problem(WIDER))
    is_whole(store, WIDER)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace('"green"', '"green", "blue"'),
        PLAIN + '[context.who]\nkind = "number"\nlow = 0\nhigh = 1\n',
    ],
)
def test_arms_without_features(text: str) -> None:
    store, before = MemoryStore(), problem(PLAIN)

    async def talk(service: Service) -> None:
        for i in range(30):
            reply = service.engine.decide(DecisionRequest(f"n-{i}"))
            if i % 3:
                service.engine.reward(RewardRequest(f"n-{i}", float(reply.arm == 0)))
        await service.durable()
        await operating.extend(service, problem(text), "me", "test", is_dry=False)

    serving(store, talk, before)

    async def more(service: Service) -> None:
        context = {"who": 0.5} if "context" in text else None
        for i in range(30):
            service.engine.decide(DecisionRequest(f"more-{i}", context))
            service.engine.reward(RewardRequest(f"more-{i}", 1.0))
        service.engine.reward(RewardRequest("n-0", 1.0))
        await service.durable()

    serving(store, more, problem(text))
    is_whole(store, text)


def test_the_log_that_is_told_has_rows_of_one_length(tmp_path: Path) -> None:
    store = MemoryStore()
    first = problem()
    extended(store, WIDER)

    async def talk(service: Service) -> None:
        await go_on(service, 30, where="fr")

    serving(store, talk, problem(WIDER))
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(lines_of(first, store)))
    log = dw.Log.read(file)
    assert len(log) == 70
    sets = [rows for frame in log.frames() for rows in frame["decision_set"].to_list()]
    assert {len(row) for rows in sets for row in rows} == {problem(WIDER).dimension}
    assert [len(rows) for rows in sets] == [3] * 40 + [4] * 30


def test_a_dry_run_changes_nothing() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> Any:
        await live(service, 20)
        return await operating.extend(service, problem(MORE), "me", "test", is_dry=True)

    found = serving(store, talk)
    assert (found.decisions, found.learnt) == (20, 16)
    assert not store.operations()
    serving(store, lambda service: live(service, 5, 20))  # with the file of before


REFUSED: Sequence[tuple[str, str]] = [
    (TEXT, "must declare more than the log does"),
    (MORE.replace('["red", "green"', '["green", "red"'), "arms must begin with those of the log, red, green, blue"),
    (MORE.replace("high = 1", "high = 2"), "context.who must stay as it was"),
    (MORE.replace("share = 0.2", "share = 0.3"), "exploration.share of the problem file must be 0.2.* got 0.3"),
    (MORE.replace("window = 50", "window = 60"), r"\[policy\] must stay as it is"),
    (TEXT.replace("who", "whom"), "context.who must stay in a declaration that goes on"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_no_growth_is_refused(text: str, why: str) -> None:
    store = MemoryStore()
    with pytest.raises(ValueError, match=why):
        extended(store, text, n=3)
    assert not store.operations()


def test_the_former_file_no_longer_serves() -> None:
    store = MemoryStore()
    extended(store, MORE, n=5)
    with pytest.raises(
        ValueError, match=r"context.where of the problem file must be .*, got left out"
    ):
        serving(store, lambda service: live(service, 1))
