"""Anything that may happen, in any order, against a model written for reading."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from driftwise.service.problem.settings import Limits, Rewards
from driftwise.service.requests import RefusalError
from tests.service.desk import SECOND, Desk, problem

NAMES = st.sampled_from([f"n{i}" for i in range(8)])
VALUES = st.sampled_from([0.0, 0.25, 1.0])
PARTS = st.sampled_from(["x", "y"])
WINDOW = 60


class Model:
    """What should be known about each id; lists and dictionaries, and no regard for speed."""

    def __init__(self, reward: Rewards) -> None:
        self.reward, self.now, self.is_frozen = reward, 0.0, False
        self.arms: dict[str, int] = {}
        self.made: dict[str, float] = {}
        self.heard: dict[str, dict[str, float]] = {}  # rewards of an id, by part
        self.state: dict[str, str] = {}  # open, overdue, closed
        self.early: dict[str, list[tuple[float, str, float, bool]]] = {}
        self.learnt: list[tuple[int, float]] = []
        self.held: list[tuple[int, float]] = []

    def decide(self, name: str, arm: int) -> None:
        if name in self.arms:
            assert self.arms[name] == arm, "a retry gets the same"
            return
        self.arms[name], self.made[name], self.state[name] = arm, self.now, "open"
        self.heard[name] = {}
        for then, part, value, is_final in self.early.pop(name, []):
            if then + WINDOW > self.now:
                self.heard[name][part] = value
                if self.reward.join == "first" or is_final:
                    self.settle(name)
                    return

    def judge(self, name: str, part: str, value: float, is_final: bool) -> str:
        if name not in self.arms:
            waiting = [each for each in self.early.get(name, []) if each[0] + WINDOW > self.now]
            if any(each[1] == part for each in waiting):
                return "duplicate"
            self.early[name] = [*waiting, (self.now, part, value, is_final)]
            return "waiting"
        if part in self.heard[name]:
            return "duplicate"
        self.heard[name][part] = value
        if self.state[name] == "closed":
            return "late"
        if self.state[name] == "open" and self.reward.join != "first" and not is_final:
            return "noted"
        was_late = self.state[name] == "overdue"
        self.settle(name)
        if self.is_frozen:
            return "held"
        return "late" if was_late else "learnt"

    def settle(self, name: str) -> None:
        values = list(self.heard[name].values())
        self.close(name, sum(values) if self.reward.join == "sum" else values[-1])

    def close(self, name: str, value: float) -> None:
        self.state[name] = "closed"
        (self.held if self.is_frozen else self.learnt).append((self.arms[name], value))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for name, state in self.state.items():
            if state == "open" and self.made[name] + WINDOW <= self.now:
                if self.heard[name]:
                    self.settle(name)
                elif self.reward.default is not None:
                    self.close(name, self.reward.default)
                else:
                    self.state[name] = "overdue" if self.reward.learns_late else "closed"


class Service(RuleBasedStateMachine):
    """Does everything to both."""

    @initialize(
        reward=st.sampled_from(
            [
                Rewards(window=WINDOW * SECOND),
                Rewards(window=WINDOW * SECOND, default=None, learns_late=True),
                Rewards(window=WINDOW * SECOND, default=None),
                Rewards(window=WINDOW * SECOND, high=10.0, join="sum"),
            ]
        )
    )
    def begin(self, reward: Rewards) -> None:
        self.desk = Desk(problem(reward=reward, share=0.3, limits=Limits(remembered=100)))
        self.model = Model(reward)
        self.heard = self.desk.lessons()

    @rule(name=NAMES)
    def decide(self, name: str) -> None:
        self.model.decide(name, self.desk.decide(name).arm)

    @rule(name=NAMES)
    def decide_otherwise(self, name: str) -> None:
        if name in self.model.arms:
            with pytest.raises(RefusalError, match="another request"):
                self.desk.decide(name, off=["red"])

    @rule(name=NAMES, part=PARTS, value=VALUES, is_final=st.booleans())
    def reward(self, name: str, part: str, value: float, is_final: bool) -> None:
        reply = self.desk.reward(name, value, part=part, final=is_final)
        part = "" if self.model.reward.join == "first" else part
        assert reply.status == self.model.judge(name, part, value, is_final)

    @rule(seconds=st.sampled_from([1, 20, 61]))
    def wait(self, seconds: int) -> None:
        self.desk.wait(seconds)
        self.model.wait(seconds)

    @rule()
    def freeze(self) -> None:
        self.desk.control(freeze=True)
        self.model.is_frozen = True

    @rule(drops=st.booleans())
    def thaw(self, drops: bool) -> None:
        self.desk.control(freeze=False, held="drop" if drops else "learn")
        model = self.model
        model.learnt += [] if drops else model.held
        model.is_frozen, model.held = False, []

    @rule(mode=st.sampled_from(["normal", "fallback"]), off=st.sampled_from([[], ["red"]]))
    def control(self, mode: Any, off: list[Any]) -> None:
        self.desk.control(mode=mode, off=off)
        if not self.model.is_frozen:
            assert self.model.held == []

    @rule(keeps=st.booleans())
    def restart(self, keeps: bool) -> None:
        if keeps:
            self.desk.snapshot()
        before, told = self.desk.state.digest, list(self.heard)
        self.desk.start(is_alike=before)
        self.heard = self.desk.lessons()
        self.heard += told

    @invariant()
    def has_learnt_what_the_model_says(self) -> None:
        if hasattr(self, "desk"):
            scale = self.model.reward.scaled
            assert self.heard == [(arm, scale(value)) for arm, value in self.model.learnt]
            open_ = {name for name, state in self.model.state.items() if state == "open"}
            assert set(self.desk.state.ledger.open) == open_

    def teardown(self) -> None:
        if hasattr(self, "desk"):
            self.desk.check()


TestService = Service.TestCase
TestService.settings = settings(
    max_examples=80, stateful_step_count=40, deadline=None, derandomize=True
)
