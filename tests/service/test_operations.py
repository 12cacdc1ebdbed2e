"""Operations on a service that serves: another policy, rewind, censor, held rewards."""

from __future__ import annotations

import numpy as np
import pytest

import driftwise as dw
from driftwise.service.events import Operated, event_of
from driftwise.service.operations import operating
from driftwise.service.requests import ControlRequest, RefusalError, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from tests.service.small_service import (
    SETTINGS,
    TEXT,
    is_whole,
    live,
    problem,
    serving,
    twin,
    verified,
)


def test_a_memory_made_anew_of_everything_is_the_same_to_the_bit() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 100)
        before = service.engine.state.learner.agent.digest
        own = {"name": "SlidingWindowUCB", "window": 50, "noise": 0.3}
        found = await operating.upgrade(service, own, "me", "test", is_dry=False)
        assert (found.decisions, found.different, found.first_difference) == (100, 0, None)
        assert (found.learnt, found.left_out, found.lost) == (80, 0, 0)
        assert service.engine.state.learner.agent.digest == before
        await live(service, 20, 100)

    serving(store, talk)
    assert verified(store).choices == 120
    is_whole(store)


@pytest.mark.parametrize("is_dry", [True, False])
def test_another_policy_learns_what_the_log_tells(is_dry: bool) -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 300)
        engine = service.engine
        before, version = engine.state.digest, engine.version
        rows = list(store.read())
        found = await operating.upgrade(service, SETTINGS, "me", "it is better", is_dry=is_dry)
        assert found.decisions == 300
        assert 0 < found.different < 300
        assert found.first_difference is not None
        if is_dry:
            assert engine.state.digest == before
            return
        assert engine.version != version
        own = engine.state.learner.agent
        assert own.estimate == pytest.approx(twin(rows, dw.LinUCB(noise=0.1), lambda *_: True))
        # A decision of the old policy is learnt by the new one.
        estimate = own.estimate.copy()
        reply = await service.do(lambda engine: engine.reward(RewardRequest("person-5", 1.0)))
        assert reply.status == "learnt"
        assert not np.array_equal(own.estimate, estimate)
        await live(service, 50, 300)

    serving(store, talk)
    if not is_dry:
        (row,) = store.operations()
        body = event_of(row).body
        assert isinstance(body, Operated)
        assert (body.who, body.why, body.policy) == ("me", "it is better", SETTINGS)
        assert (verified(store).choices, verified(store).operations) == (350, 1)
        is_whole(store)


def test_a_problem_file_may_say_the_policy_of_now_or_of_first_and_no_other() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 20)
        await operating.upgrade(service, SETTINGS, "me", "test", is_dry=False)

    async def look(service: Service) -> str:
        return type(service.engine.state.problem.policy).__name__

    serving(store, talk)
    now = TEXT.replace('"SlidingWindowUCB"\nwindow = 50\nnoise = 0.3', '"LinUCB"\nnoise = 0.1')
    assert serving(store, look) == serving(store, look, problem(now)) == "LinUCB"
    with pytest.raises(ValueError, match="policy"):
        serving(store, look, problem(now.replace("0.1", "0.2")))


def test_what_was_learnt_after_an_event_is_forgotten_by_a_rewind() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 100)
        to = service.engine.state.seq
        before = service.engine.state.learner.agent.estimate.copy()
        await live(service, 100, 100)
        rows = list(store.read())
        found = await operating.rewind(service, to, "me", "bad rewards", is_dry=False)
        assert (found.learnt, found.left_out) == (80, 80)
        agent = service.engine.state.learner.agent
        assert agent.estimate == pytest.approx(before)
        policy = service.problem.policy
        assert agent.estimate == pytest.approx(twin(rows, policy, lambda made, seq: seq <= to))

        async def status(name: str) -> str:
            return (await service.do(lambda engine: engine.reward(RewardRequest(name, 1.0)))).status

        assert await status("person-5") == "learnt"
        assert await status("person-105") == "held", "it was made in what is forgotten"
        with pytest.raises(RefusalError, match="1 to"):
            await operating.rewind(service, 10**9, "me", "x", is_dry=True)
        await live(service, 20, 200)

    serving(store, talk)
    assert verified(store).operations == 1
    is_whole(store)


def test_censored_rewards_are_as_if_they_had_not_come() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 100)
        first = service.engine.state.seq + 1
        await live(service, 50, 100)
        last = service.engine.state.seq
        await live(service, 50, 150)
        rows = list(store.read())
        found = await operating.censor(service, "me", "bot", first=first, last=last, is_dry=False)
        assert (found.learnt, found.left_out) == (120, 40)
        policy, agent = service.problem.policy, service.engine.state.learner.agent
        expected = twin(rows, policy, lambda made, seq: not first <= seq <= last)
        assert agent.estimate == pytest.approx(expected)
        arm = await operating.censor(service, "me", "bot", arm=1, is_dry=True)
        one = await operating.censor(service, "me", "bot", ids=["person-1"], is_dry=True)
        assert arm.left_out > 40
        assert one.left_out == 41
        with pytest.raises(RefusalError, match="got nothing"):
            await operating.censor(service, "me", "bot", is_dry=True)
        # Another operation leaves out what was left out before.
        again = await operating.upgrade(service, SETTINGS, "me", "better", is_dry=False)
        assert again.left_out == 40

    serving(store, talk)
    assert verified(store).operations == 2
    is_whole(store)


def test_what_is_held_while_learning_is_frozen_is_learnt_by_the_memory_made_anew() -> None:
    store = MemoryStore()

    async def talk(service: Service) -> None:
        await live(service, 50)
        engine = service.engine
        engine.control(ControlRequest("look", freeze=True), "me")
        await live(service, 50, 50)
        assert len(engine.state.held) == 40
        await operating.upgrade(service, SETTINGS, "me", "test", is_dry=False)
        assert len(engine.state.held) == 40
        rows = list(store.read())
        engine.control(ControlRequest("go on", freeze=False), "me")
        await service.durable()
        policy = dw.LinUCB(noise=0.1)
        expected = twin(rows, policy, lambda *_: True)
        assert engine.state.learner.agent.estimate == pytest.approx(expected)

    serving(store, talk)
    verified(store)
    is_whole(store)
