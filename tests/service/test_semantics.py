"""The table of what happens and what the service does, a test a row: decisions, restarts, limits."""

from __future__ import annotations

from typing import Any

import pytest

import driftwise as dw
from driftwise.service.problem.settings import Limits
from driftwise.service.requests import DecisionRequest
from tests.service.desk import SECOND, Desk, actions_problem, problem, refused


def test_a_first_decision_is_logged(desk: Desk) -> None:
    reply = desk.decide("a")
    assert desk.kinds() == ["Decided"]
    assert (reply.id, reply.name, reply.repeated) == ("a", desk.problem.arms[reply.arm], False)
    assert list(desk.state.ledger.open) == ["a"]


def test_a_retry_gets_the_same_decision(desk: Desk) -> None:
    first = desk.decide("a")
    again = desk.decide("a")
    assert again.repeated
    same = [(each.arm, each.seq, each.propensity, each.expires) for each in (first, again)]
    assert same[0] == same[1]
    assert desk.kinds() == ["Decided"]


def test_a_retry_gets_the_same_decision_after_its_reward_and_a_restart(desk: Desk) -> None:
    first = desk.decide("a")
    desk.reward("a", 1.0)
    assert desk.decide("a").arm == first.arm
    desk.start()
    assert (desk.decide("a").seq, desk.decide("a").repeated) == (first.seq, True)


def test_the_same_id_with_another_request_is_a_conflict(desk: Desk) -> None:
    desk.decide("a")
    refused(409, desk.decide, "a", off=["red"])
    assert desk.kinds() == ["Decided"]


def test_without_an_id_the_service_makes_one_that_cannot_be_guessed(desk: Desk) -> None:
    one, other = desk.decide(), desk.decide()
    assert one.id != other.id
    assert one.id.startswith(f"{one.seq}-")
    assert desk.reward(one.id, 1.0).status == "learnt"
    refused(404, desk.reward, f"{other.seq}-0123456789", 1.0)
    refused(422, desk.decide, "7-0123456789")


def test_after_a_restart_everything_is_there(desk: Desk) -> None:
    for name in "abcdef":
        desk.decide(name)
    desk.reward("a", 1.0)
    desk.reward("early", 1.0)
    desk.snapshot()
    desk.reward("b", 0.5)
    before = desk.state.digest
    desk.start()
    assert desk.state.digest == before
    assert desk.reward("b", 0.5).status == "duplicate"
    assert desk.reward("early", 1.0).status == "duplicate"
    assert desk.reward("c", 0.5).status == "learnt"
    desk.check()


def test_a_clock_that_goes_back_lets_nothing_expire_and_time_goes_on(desk: Desk) -> None:
    desk.decide("a")
    desk.time -= 3600 * SECOND
    desk.start()
    last = desk.state.t
    desk.decide("b")
    assert desk.state.t >= last
    assert set(desk.state.ledger.open) == {"a", "b"}


def test_a_queue_that_is_too_long_refuses_before_anything_is_applied() -> None:
    desk = Desk(problem(limits=Limits(queue=1)))
    desk.engine.decide(DecisionRequest("a"))
    seq = desk.state.seq
    assert refused(503, desk.engine.decide, DecisionRequest("b")).retry_after
    assert desk.state.seq == seq
    assert desk.engine.decide(DecisionRequest("a")).repeated, "a retry needs no event"


def test_more_open_decisions_than_the_limit_are_refused() -> None:
    desk = Desk(problem(limits=Limits(open=1)))
    desk.decide("a")
    refused(503, desk.decide, "b")
    desk.reward("a", 1.0)
    desk.decide("b")


def test_of_decisions_long_forgotten_the_store_knows() -> None:
    desk = Desk(problem(limits=Limits(remembered=10)))
    first = desk.decide("first")
    desk.reward("first", 0.5)
    desk.decide("expired")
    desk.wait(61)
    made = desk.decide()
    desk.reward(made.id, 0.5)
    for _ in range(30):
        desk.reward(desk.decide().id, 0.5)
    assert desk.state.ledger.forgotten
    assert desk.decide("first").seq == first.seq
    assert desk.reward("first", 0.5).status == "duplicate"
    assert not desk.reward("first", 0.6).agrees
    assert desk.reward("expired", 0.5).status == "late"
    assert desk.reward(made.id, 0.5).status == "duplicate"
    assert desk.reward("unknown", 0.5).status == "waiting"
    refused(404, desk.reward, desk.engine.ids.made(10**6), 0.5)
    desk.check()


@pytest.mark.parametrize(
    "policy",
    [dw.UCB1(), dw.Exp3(mixing=0.1), dw.DiscountedLinTS(discount=0.99, noise=0.1), dw.BanditOverBandit.tuned(horizon=100, dimension=3, noise=0.1)],
    ids=lambda policy: type(policy).__name__,
)  # fmt: skip
def test_every_kind_of_policy_is_replayed_to_the_bit(policy: Any) -> None:
    desk = Desk(problem(policy=policy, share=0.3))
    for round_ in range(60):
        reply = desk.decide(off=["red"] if round_ % 5 == 0 else [])
        if round_ % 3:
            desk.reward(reply.id, 0.2 * reply.arm)
        if round_ == 30:
            desk.snapshot()
    desk.check()
    before = desk.state.digest
    desk.start()
    assert desk.state.digest == before


def test_actions_may_come_with_each_request() -> None:
    desk = Desk(actions_problem())
    reply = desk.decide("a")
    assert (reply.name, reply.arm < 3) == (None, True)
    refused(422, desk.decide, "b", actions=[[1.0]])
    refused(422, desk.decide, "b", actions=[[1.0, float("nan")]])
    refused(422, desk.decide, "b", actions=[])
    desk.reward("a", 1.0)
    desk.check()
