"""The rows of the table that are about rewards: learnt, held, late, early, again, in parts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from driftwise.service.problem.settings import Limits, Rewards
from tests.service.desk import SECOND, Desk, problem, refused


def rewards(**changes: Any) -> Rewards:
    return Rewards(window=60 * SECOND, **changes)


def test_a_first_reward_is_learnt(desk: Desk) -> None:
    heard = desk.lessons()
    arm = desk.decide("a").arm
    assert desk.reward("a", 0.5).status == "learnt"
    assert heard == [(arm, 0.5)]
    assert desk.kinds() == ["Decided", "Rewarded"]


def test_rewards_are_scaled_from_their_range_to_0_and_1() -> None:
    desk = Desk(problem(reward=rewards(low=-10.0, high=30.0)))
    heard = desk.lessons()
    desk.decide("a")
    desk.reward("a", 10.0)
    assert [value for _, value in heard] == [0.5]


def test_the_same_reward_again_is_a_duplicate(desk: Desk) -> None:
    desk.decide("a")
    desk.reward("a", 0.5)
    heard = desk.lessons()
    reply = desk.reward("a", 0.5)
    assert (reply.status, reply.agrees, heard) == ("duplicate", True, [])
    assert desk.engine.duplicates == {"agrees": 1}
    assert desk.kinds() == ["Decided", "Rewarded"]


def test_another_reward_again_is_a_duplicate_that_disagrees(desk: Desk) -> None:
    desk.decide("a")
    desk.reward("a", 0.5)
    reply = desk.reward("a", 0.6)
    assert (reply.status, reply.agrees) == ("duplicate", False)
    assert desk.engine.duplicates == {"differs": 1}


@pytest.mark.parametrize(
    ("join", "value"), [("sum", 0.9), ("mean", 0.3), ("last", 0.2), ("max", 0.6), ("min", 0.1)]
)
@pytest.mark.parametrize("is_final", [True, False])
def test_parts_of_a_reward_are_noted_and_learnt_once(
    join: str, value: float, is_final: bool
) -> None:
    desk = Desk(problem(reward=rewards(join=join)))
    heard = desk.lessons()
    desk.decide("a")
    refused(422, desk.reward, "a", 0.5)
    assert desk.reward("a", 0.6, part="one").status == "noted"
    assert desk.reward("a", 0.6, part="one").status == "duplicate"
    assert not desk.reward("a", 0.5, part="one").agrees
    assert desk.reward("a", 0.1, part="two").status == "noted"
    assert heard == []
    third = desk.reward("a", 0.2, part="three", final=is_final)
    assert third.status == ("learnt" if is_final else "noted")
    desk.wait(61)
    assert [each for _, each in heard] == [pytest.approx(value)]
    assert desk.reward("a", 0.2, part="three").status == "duplicate"
    assert desk.reward("a", 0.2, part="four").status == "late"
    desk.check()


def test_rewards_out_of_order_are_learnt_in_order_of_arrival(desk: Desk) -> None:
    heard = desk.lessons()
    for name in "abc":
        desk.decide(name)
    for name, value in (("c", 0.3), ("a", 0.1), ("b", 0.2)):
        assert desk.reward(name, value).status == "learnt"
    assert [value for _, value in heard] == [0.3, 0.1, 0.2]


def test_without_a_reward_the_default_is_learnt_when_the_window_closes(desk: Desk) -> None:
    heard = desk.lessons()
    arm = desk.decide("a").arm
    desk.wait(59)
    assert heard == []
    desk.wait(2)
    assert heard == [(arm, 0.0)]
    assert desk.kinds() == ["Decided", "Expired"]


def test_without_a_default_nothing_is_learnt_when_the_window_closes() -> None:
    desk = Desk(problem(reward=rewards(default=None)))
    heard = desk.lessons()
    desk.decide("a")
    desk.wait(61)
    assert heard == []
    assert desk.state.ledger.open == {}


def test_a_late_reward_is_logged_and_not_learnt_after_a_default(desk: Desk) -> None:
    desk.decide("a")
    desk.wait(61)
    heard = desk.lessons()
    assert desk.reward("a", 1.0).status == "late"
    assert desk.reward("a", 1.0).status == "duplicate"
    assert heard == []
    assert desk.kinds() == ["Decided", "Expired", "Rewarded"]


def test_a_late_reward_is_learnt_where_the_problem_says_so() -> None:
    desk = Desk(problem(reward=rewards(default=None, learns_late=True)))
    arm = desk.decide("a").arm
    desk.wait(61)
    heard = desk.lessons()
    assert desk.reward("a", 1.0).status == "late"
    assert heard == [(arm, 1.0)]
    assert desk.reward("a", 1.0).status == "duplicate"
    desk.check()


def test_late_rewards_are_learnt_of_as_many_as_are_remembered() -> None:
    limits, reward = Limits(remembered=2), rewards(default=None, learns_late=True)
    desk = Desk(problem(reward=reward, limits=limits))
    for name in "abc":
        desk.decide(name)
    desk.wait(61)
    heard = desk.lessons()
    assert [desk.reward(name, 1.0).status for name in "abc"] == ["late"] * 3
    assert len(heard) == 2
    desk.check()


def test_a_reward_that_comes_first_waits_for_its_decision(desk: Desk) -> None:
    heard = desk.lessons()
    assert desk.reward("a", 0.7).status == "waiting"
    assert desk.reward("a", 0.7).status == "duplicate"
    assert heard == []
    arm = desk.decide("a").arm
    assert heard == [(arm, 0.7)]
    assert desk.reward("a", 0.7).status == "duplicate"
    desk.check()


def test_a_reward_waits_for_one_window(desk: Desk) -> None:
    desk.reward("a", 0.7)
    desk.wait(61)
    desk.decide("a")
    assert list(desk.state.ledger.open) == ["a"]
    assert desk.state.ledger.n_waiting == 0


def test_no_more_rewards_wait_than_the_limit() -> None:
    desk = Desk(problem(limits=Limits(waiting=1)))
    desk.reward("a", 0.7)
    assert refused(503, desk.reward, "b", 0.7).retry_after


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_a_reward_outside_of_the_range_is_refused(desk: Desk, value: float) -> None:
    desk.decide("a")
    refused(422, desk.reward, "a", value)
    assert desk.kinds() == ["Decided"]


@pytest.mark.parametrize("held", ["learn", "drop"])
def test_while_learning_is_frozen_rewards_are_held(desk: Desk, held: str) -> None:
    names = ["a", "b", "c"]
    arms = [desk.decide(name).arm for name in names]
    desk.control(freeze=True)
    heard = desk.lessons()
    assert [desk.reward(name, 0.5).status for name in "ba"] == ["held", "held"]
    assert desk.reward("b", 0.5).status == "duplicate"
    desk.wait(61)  # the default of the third is held, too
    assert heard == []
    desk.snapshot()
    desk.start()
    heard = desk.lessons()
    desk.control(freeze=False, held=held)
    in_order = [(arms[1], 0.5), (arms[0], 0.5), (arms[2], 0.0)]
    assert heard == (in_order if held == "learn" else [])
    desk.check()


@pytest.mark.parametrize("value", [0.5, 2.0, math.nan])
def test_a_binary_reward_is_one_of_two_values(value: float) -> None:
    desk = Desk(problem(reward=rewards(is_binary=True)))
    desk.decide("a")
    told = refused(422, desk.reward, "a", value)
    assert told.detail == f"reward must be 0 or 1, got {value}"
    assert desk.kinds() == ["Decided"]
    assert desk.reward("a", 1.0).status == "learnt"
