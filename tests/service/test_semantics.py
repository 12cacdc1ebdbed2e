"""The table of what happens and what the service does, one test a row, in its order."""

from __future__ import annotations

import math
from typing import Any

import pytest

import driftwise as dw
from driftwise.service.problem.settings import Guards, Limits, Rewards
from driftwise.service.requests import DecisionRequest, RefusalError
from tests.service.desk import SECOND, Desk, actions_problem, problem


@pytest.fixture
def desk() -> Desk:
    return Desk(problem())


def refused(status: int, call: Any, *arguments: Any, **fields: Any) -> RefusalError:
    with pytest.raises(RefusalError) as caught:
        call(*arguments, **fields)
    assert caught.value.status == status
    return caught.value


def rewards(**changes: Any) -> Rewards:
    return Rewards(window=60 * SECOND, **changes)


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


def test_the_kill_switch_plays_the_fallback_arm_and_learns(desk: Desk) -> None:
    desk.control(mode="fallback")
    reply = desk.decide("a")
    assert (reply.name, reply.branch, reply.propensity) == ("green", "forced", 1.0)
    heard = desk.lessons()
    desk.reward("a", 1.0)
    assert heard
    desk.check()


def test_the_kill_switch_plays_also_an_arm_that_is_off(desk: Desk) -> None:
    desk.control(mode="fallback", off=["green"])
    assert desk.decide().name == "green"


def test_an_apprentice_plays_the_callers_arm_and_tells_its_own(desk: Desk) -> None:
    desk.control(mode="apprentice")
    for name, value in (("red", 0.0), ("green", 0.0), ("blue", 1.0)) * 5:
        reply = desk.decide(baseline=name)
        assert (reply.name, reply.branch, reply.propensity) == (name, "baseline", None)
        desk.reward(reply.id, value)
    assert desk.decide(baseline="red").would == 2
    refused(422, desk.decide)
    desk.check()


def test_an_arm_that_is_off_is_not_played(desk: Desk) -> None:
    desk.control(off=["red", "blue"])
    assert {desk.decide().name for _ in range(20)} == {"green"}
    desk.control(off=[])
    assert desk.decide(off=["red", 1]).name == "blue"
    desk.check()


def test_with_all_arms_off_the_fallback_arm_is_played_or_none(desk: Desk) -> None:
    everything = ["red", "green", "blue"]
    reply = desk.decide(off=everything)
    assert (reply.name, reply.branch) == ("green", "forced")
    without = Desk(problem(guards=Guards()))
    refused(422, without.decide, off=everything)
    assert without.kinds() == []


def test_an_arm_above_its_largest_share_is_not_offered() -> None:
    guards = Guards(largest_share={2: 0.5}, over=40)
    desk = Desk(problem(guards=guards))
    arms = []
    for _ in range(200):
        reply = desk.decide()
        arms.append(reply.arm)
        desk.reward(reply.id, float(reply.arm == 2))
    for start in range(40, 160):
        assert arms[start : start + 40].count(2) <= 20
    assert arms[-40:].count(2) == 20
    desk.check()


def test_a_user_keeps_the_arm_that_was_played_first(desk: Desk) -> None:
    first = desk.decide(user="u")
    for _ in range(5):
        for arm in range(3):  # whatever the policy thinks by then
            desk.reward(
                desk.decide(off=[other for other in range(3) if other != arm]).id,
                float(arm != first.arm),
            )
        again = desk.decide(user="u")
        assert (again.arm, again.branch, again.propensity) == (first.arm, "sticky", 1.0)
    desk.snapshot()
    desk.start()
    assert desk.decide(user="u").branch == "sticky"
    assert desk.decide(user="somebody else").branch != "sticky"
    assert not any(b"somebody" in row.body for row in desk.store.read()), "no name is kept"
    desk.check()


def test_a_user_whose_arm_is_off_gets_another_one_and_keeps_it(desk: Desk) -> None:
    first = desk.decide(user="u")
    other = desk.decide(user="u", off=[first.arm])
    assert other.arm != first.arm
    again = desk.decide(user="u")
    assert (again.arm, again.branch) == (other.arm, "sticky")
    desk.control(mode="fallback")
    assert desk.decide(user="u").branch == "forced"
    desk.control(mode="normal")
    assert desk.decide(user="u").arm == other.arm, "nobody keeps what was forced"
    desk.check()


def test_the_user_who_came_first_is_let_go_of_first() -> None:
    desk = Desk(problem(limits=Limits(users=2)))
    for user in "abc":
        desk.decide(user=user)
    assert desk.decide(user="c").branch == "sticky"
    assert desk.decide(user="b").branch == "sticky"
    assert desk.decide(user="a").branch != "sticky"
    refused(422, Desk(actions_problem()).decide, user="u")
    desk.check()


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
