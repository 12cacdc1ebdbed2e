"""Operations on a service that serves: another policy, rewind, censor, erase; also killed in the middle."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.service.events import Decided, Operated, Rewarded, Row, event_of
from driftwise.service.operations import archiving, operating
from driftwise.service.problem.reading import parse_problem
from driftwise.service.problem.settings import Problem
from driftwise.service.replay import archived_state, recovered
from driftwise.service.requests import (
    ControlRequest,
    DecisionRequest,
    RefusalError,
    RewardRequest,
)
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.stores.protocol import Snapshot, Store
from driftwise.service.stores.sqlite import SQLiteStore
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


@pytest.mark.parametrize("by", ["id", "context", "user"])
def test_a_person_is_erased_from_every_byte_and_the_memory_stays(tmp_path: Path, by: str) -> None:
    path = tmp_path / "log.db"
    text = TEXT.replace(
        'kind = "number"\nlow = 0\nhigh = 1', 'kind = "category"\nvalues = ["jane-doe", "b"]'
    )
    own = problem(text)

    async def ask(service: Service, i: int) -> None:
        request = DecisionRequest(
            f"jane-{i}" if i % 2 else f"n{i}", {"who": "jane-doe" if i % 2 else "b"}
        )
        if by == "user":
            request.user = "jane" if i % 2 else "bob"
        await service.do(lambda engine: engine.decide(request))
        if i % 3:
            await service.do(lambda engine: engine.reward(RewardRequest(request.id or "", 1.0)))

    async def talk(service: Service) -> None:
        for i in range(60):
            await ask(service, i)
        service.engine.reward(RewardRequest("jane-early", 1.0))
        await service.durable()
        before = service.engine.state.learner.agent.estimate.copy()
        ids = [f"jane-{i}" for i in range(1, 60, 2)] + ["jane-early"]
        given: Any = {"ids": [], "context": {"who": "jane-doe"}}
        given = {"ids": ids, "context": {}} if by == "id" else given
        given = {"ids": [], "context": {}, "user": "jane"} if by == "user" else given
        digest = service.engine.ids.user("jane")
        assert (digest in everything(path)) == (by == "user")
        assert await operating.erase(service, **given, who="me", why="asked", is_dry=True) == 30
        assert b"jane-1" in everything(path)
        assert await operating.erase(service, **given, who="me", why="asked", is_dry=False) == 30
        assert np.array_equal(service.engine.state.learner.agent.estimate, before)
        assert all(
            "jane" not in name or name == "jane-early"
            for name in service.engine.state.ledger.closed
        )
        assert digest not in everything(path)
        for i in range(61, 90):
            await ask(service, 2 * i)

    serving(SQLiteStore(path), talk, own)
    left = b"jane-early" if by != "id" else b""
    assert b"jane-" not in everything(path).replace(b"jane-doe", b"").replace(left, b"")
    store = SQLiteStore(path)
    found = verify_all(own, store.read())
    assert (found.erased, found.blurred) == (30, 29)
    assert found.choices == 30
    assert recovered(own, store).state.digest == found.state.digest
    for row in store.read():
        body = event_of(row).body
        if isinstance(body, Decided):
            assert body.is_erased == (row.id.startswith("~"))
            assert body.is_erased == (body.context is None)
    # A memory made anew can no longer learn from what is erased, and says so.
    store.close()

    async def again(service: Service) -> Any:
        return await operating.upgrade(service, SETTINGS, "me", "test", is_dry=True)

    assert serving(SQLiteStore(path), again, own).lost == 30


def everything(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.glob(path.name + "*"))


def test_what_is_archived_comes_back_and_the_log_goes_on_without(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def talk(service: Service) -> None:
        await live(service, 100)
        middle = service.engine.state.seq
        await live(service, 50, 100)
        before = service.engine.state.learner.agent.digest
        moved = await archiving.archive(service, middle, tmp_path, "me", "old")
        assert (moved.events, moved.until) == (middle, middle)
        assert service.engine.state.learner.agent.digest == before
        status = service.engine.reward(RewardRequest("person-5", 1.0)).status
        assert status == "learnt", "what was open stays"
        await live(service, 20, 150)
        again = await operating.upgrade(service, SETTINGS, "me", "test", is_dry=True)
        assert again.archived == middle
        await archiving.archive(service, middle + 20, tmp_path, "me", "old, too")

    serving(SQLiteStore(path), talk)
    store = SQLiteStore(path)
    assert len(list(store.read(until=180))) < 60
    by_snapshot = recovered(problem(), store).state
    base = archived_state(problem(), store)
    assert base is not None
    found = verify_all(problem(), store.read(after=base.seq), base)
    assert found.state.digest == by_snapshot.digest
    store.close()

    async def back(service: Service) -> None:
        first, second = sorted(tmp_path.glob("*.parquet"), key=lambda file: file.stat().st_size)
        with pytest.raises(RefusalError, match="all archived"):
            await archiving.restore(service, [first], "me", "look")
        await archiving.restore(service, [first, second], "me", "look again")

    serving(SQLiteStore(path), back)
    store = SQLiteStore(path)
    whole = verify_all(problem(), store.read())
    assert whole.choices == 170
    assert recovered(problem(), store).state.digest == whole.state.digest
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_a_backup_is_made_while_decisions_go_on(tmp_path: Path, kind: str) -> None:
    async def talk(service: Service) -> Any:
        await live(service, 50)
        backup = asyncio.create_task(archiving.back_up(service, tmp_path / "b", "me", "nightly"))
        await live(service, 50, 50)
        return await backup

    store: Store = SQLiteStore(tmp_path / "log.db") if kind == "sqlite" else MemoryStore()
    moved = serving(store, talk)
    if kind == "sqlite":
        copy: Store = SQLiteStore(moved.file)
    else:
        copy = MemoryStore()
        copy.append(list(archiving.read_rows(Path(moved.file))))
    assert verify_all(problem(), copy.read()).choices >= 50
    copy.close()


class KilledError(BaseException):
    """What a kill looks like from inside."""


class Mortal(MemoryStore):
    """A store whose process dies at one of its writes, just before or just after."""

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None  # half steps until the end
        self.is_dead = False

    def _step(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.is_dead = True
                raise KilledError

    def append(self, rows: Sequence[Row]) -> None:
        self._step()
        super().append(rows)
        self._step()

    def overwrite(self, rows: Sequence[Row], snapshot: Snapshot) -> None:
        self._step()
        super().overwrite(rows, snapshot)
        self._step()

    def drop(self, until: int, kept: Sequence[int]) -> None:
        self._step()
        super().drop(until, kept)
        self._step()


OPERATIONS: dict[str, Callable[[Service, Path], Awaitable[Any]]] = {
    "policy": lambda service, folder: operating.upgrade(
        service, SETTINGS, "me", "test", is_dry=False
    ),
    "rewind": lambda service, folder: operating.rewind(service, 40, "me", "test", is_dry=False),
    "censor": lambda service, folder: operating.censor(service, "me", "test", arm=1, is_dry=False),
    "archive": lambda service, folder: archiving.archive(service, 60, folder, "me", "test"),
    "erase": lambda service, folder: operating.erase(
        service, ["person-3", "person-5"], {}, "me", "test", user="jane", is_dry=False
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("step", range(5))
def test_a_kill_in_the_middle_leaves_all_or_nothing(name: str, step: int, tmp_path: Path) -> None:
    store = Mortal()

    async def talk(service: Service) -> None:
        await live(service, 60)
        store.left = step
        task = asyncio.ensure_future(OPERATIONS[name](service, tmp_path))
        while not task.done() and not store.is_dead:
            await asyncio.sleep(0.005)
        task.cancel()  # nobody is left to answer it
        with contextlib.suppress(KilledError, RefusalError, asyncio.CancelledError):
            await task

    serving_until_killed(store, talk)
    store.left = None
    n_operations = len(store.operations())
    assert n_operations == int(step >= 1)

    async def after(service: Service) -> None:
        await live(service, 20, 60)

    serving(store, after)
    if name == "archive" and n_operations:
        assert len(list(store.read(until=60))) < 30
        base = archived_state(problem(), store)
        found = verify_all(problem(), store.read(after=60), base)
        assert recovered(problem(), store).state.digest == found.state.digest
        return
    verified(store)
    is_whole(store)
    if name == "erase" and n_operations:
        ids = {row.id for row in store.read()}
        assert not {"person-3", "person-5", "person-7"} & ids


def serving_until_killed(store: Mortal, talk: Talk) -> None:
    """Let a service run until its store dies; nothing of it is stopped in good order."""

    async def run() -> None:
        service = Service(problem(), lambda: store)
        await service.start()
        await talk(service)
        keeper = service._keeper
        assert keeper is not None
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)

    with contextlib.suppress(KilledError):
        asyncio.run(run())
