"""The rows of the table that are about the arm: kill switch, apprentice, arms that are off, shares, users."""

from __future__ import annotations

from driftwise.service.problem.settings import Guards, Limits
from tests.service.desk import Desk, actions_problem, problem, refused


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
