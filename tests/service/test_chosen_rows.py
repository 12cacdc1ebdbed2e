"""A log that keeps the row that was played only: where no request changes the rows, nothing is lost by it."""

from __future__ import annotations

from pathlib import Path

import pytest

import driftwise as dw
from driftwise.service.export import lines_of
from driftwise.service.operations import operating
from driftwise.service.replay import recovered
from driftwise.service.requests import DecisionRequest, RewardRequest
from driftwise.service.service import Service
from driftwise.service.stores.memory import MemoryStore
from driftwise.service.verify import verify_all
from tests.service.small_service import problem, serving

OWN = {"name": "SlidingWindowUCB", "window": 50, "noise": 0.3}
REST = """
[policy]
name = "SlidingWindowUCB"
window = 50
noise = 0.3
[exploration]
share = 0.3
[log]
rows = "chosen"
"""
BARE = 'arms = ["red", "green", "blue"]' + REST
PRICED = """
[arms]
red = {price = 1}
green = {price = 2}
blue = {price = 3}
[action.price]
kind = "number"
low = 0
high = 3
""" + REST  # fmt: skip
WHO = 'arms = ["red", "green", "blue"]\n[context.who]\nkind = "number"\nlow = 0\nhigh = 1' + REST


@pytest.mark.parametrize("text", [BARE, PRICED, WHO])
def test_a_memory_can_be_made_anew(text: str, tmp_path: Path) -> None:
    store, own = MemoryStore(), problem(text)
    has_context = text == WHO

    async def talk(service: Service) -> None:
        for i in range(60):
            context = {"who": i % 7 / 7} if has_context else None
            off: list[int | str] = ["red"] if i % 3 == 0 else []
            reply = service.engine.decide(DecisionRequest(f"n-{i}", context, off=off))
            service.engine.reward(RewardRequest(f"n-{i}", float(reply.arm == 1)))
        await service.durable()
        before = service.engine.state.learner.agent.estimate.tolist()
        await operating.upgrade(service, OWN, "me", "test", is_dry=False)
        assert service.engine.state.learner.agent.estimate.tolist() == before

    serving(store, talk, own)
    rows = list(store.read())
    found = verify_all(own, rows, read=lambda after, until: store.read(after=after, until=until))
    assert found.choices == (0 if has_context else 60)
    assert found.state.digest == recovered(own, store).state.digest
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(lines_of(own, store)))
    sets = [
        each for frame in dw.Log.read(file).frames() for each in frame["decision_set"].to_list()
    ]
    assert [each is not None for each in sets] == [not has_context] * 60
