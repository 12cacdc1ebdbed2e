"""Shadows: scored as one would by hand, whatever order rewards come in; censored with the rest; promoted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import driftwise as dw
from driftwise.evaluation.running import RunningGain
from driftwise.service.events import Decided, LeftOut, Operated, event_of
from driftwise.service.problem.reading import ProblemError, parse_problem
from driftwise.service.problem.settings import Rewards, Shadow
from driftwise.service.rebuilding import Rebuilding
from driftwise.service.serving import build
from driftwise.service.shadows.following import Follower
from driftwise.service.shadows.scoring import Standing
from tests.service.desk import SECOND, Desk, problem

LINEAR = {"name": "LinUCB", "noise": 0.3}
SHADOWS = (Shadow("remembers", LINEAR), Shadow("any", {"name": "Uniform"}))
TEXT = 'arms = ["red", "blue"]\n'


def lived(n: int = 150, **changes: Any) -> Desk:
    """Return a desk with rewards that come in another order than decisions, or never."""
    reward = Rewards(high=2.0, default=None, window=60 * SECOND)
    desk = Desk(problem(reward=reward, share=0.3, shadows=SHADOWS, **changes))
    random = np.random.default_rng(3)
    waiting: list[tuple[str, float]] = []
    for i in range(n):
        made = desk.decide(f"n{i}")
        desk.wait(1.0)
        if random.random() < 0.9:
            waiting.append((made.id, float(random.random() < 0.2 + 0.3 * made.arm) * 2.0))
        if len(waiting) > 5:
            desk.reward(*waiting.pop(int(random.integers(len(waiting)))))
    return desk


def followed(desk: Desk, most: int = 7) -> list[Standing]:
    follower = Follower(desk.problem, desk.store)
    while follower.follow(most):
        pass
    return follower.standings()


def by_hand(desk: Desk) -> RunningGain:
    """Return the gain of LinUCB: all that it would have played, and then all rewards, by decision."""
    choices: dict[int, int] = {}

    class Asked(Rebuilding):
        def _compare(self, body: Decided, own: int) -> None:
            choices[body.seq] = own

    Asked(desk.problem, LINEAR, []).take(desk.store.read())
    made: dict[str, Decided] = {}
    rewards: dict[str, float] = {}
    gone: set[str] = set()
    for row in desk.store.read():
        event = event_of(row)
        if isinstance(event.body, Decided):
            made[event.id] = event.body
        elif type(event.body).__name__ == "Rewarded" and event.id not in gone:
            rewards.setdefault(event.id, event.body.value)  # type: ignore[union-attr]
        elif type(event.body).__name__ == "Expired":
            gone.update(event.body.ids)  # type: ignore[union-attr]
    gain = RunningGain()
    for name, body in made.items():
        if name in rewards:
            assert body.propensity
            gain.add((choices[body.seq] == body.row) / body.propensity, rewards[name] / 2.0)
        elif name not in gone:
            break  # it may still come
    return gain


def test_a_shadow_is_scored_as_by_hand() -> None:
    desk = lived()
    standing, uniform = followed(desk)
    gain = by_hand(desk)
    assert standing.scored == gain.events > 50
    expected = 2 * gain.value, 2 * gain.low, 2 * gain.high, 2 * gain.log, gain.effective
    told = standing.gain, standing.low, standing.high, standing.live, standing.effective
    assert told == pytest.approx(expected)
    assert standing.seq == uniform.seq == desk.state.seq
    assert standing.policy == "LinUCB"
    assert uniform.scored == standing.scored


def test_in_whichever_steps_it_is_read() -> None:
    desk = lived()
    assert followed(desk, 1) == followed(desk, 1000)


def test_what_is_live_is_its_own_shadow_without_gain() -> None:
    live = Shadow("live", {"name": "AdaptiveUCB"})
    desk = Desk(problem(share=0.2, shadows=(live,), reward=Rewards(window=60 * SECOND)))
    for i in range(40):
        desk.decide(f"n{i}")
        desk.reward(f"n{i}", 1.0)
    (standing,) = followed(desk)
    assert standing.agreement == 1.0
    assert standing.scored == 40


def test_a_shadow_that_is_better_is_known_to_be() -> None:
    """The live policy plays any arm, of which one is best."""
    desk = Desk(
        problem(
            policy=dw.Uniform(), share=0.1, shadows=(Shadow("linear", LINEAR),),
            reward=Rewards(window=60 * SECOND),
        )
    )  # fmt: skip
    for i in range(400):
        arm = desk.decide(f"n{i}").arm
        desk.reward(f"n{i}", float(arm == 2))
    (standing,) = followed(desk)
    assert standing.is_better
    assert standing.low <= 2 / 3 <= standing.high  # once it knows the best arm


def test_without_exploration_nothing_is_said() -> None:
    desk = Desk(problem(share=0.0, shadows=SHADOWS))
    for i in range(10):
        desk.decide(f"n{i}")
        desk.reward(f"n{i}", 1.0)
    standing = followed(desk)[0]
    assert (standing.scored, standing.unscored, standing.is_better) == (0, 10, False)


def test_what_is_censored_is_unlearnt_and_another_live_policy_begins_anew() -> None:
    desk = lived()
    follower = Follower(desk.problem, desk.store)
    follower.follow(10_000)
    before = follower.standings()[0]
    memory = desk.state.learner.agent.to_bytes()
    censored = [LeftOut(first=1, last=desk.state.seq)]
    desk.engine.operate(Operated("me", "a test", "censor", memory, left_out=censored))
    desk.flush()
    while follower.follow(10_000):
        pass
    after = follower.standings()[0]
    assert before.scored > 20
    assert after.scored == 0
    assert after == followed(desk)[0]
    desk = lived(60)
    upgraded = Rebuilding(desk.problem, LINEAR, [])
    upgraded.take(desk.store.read())
    memory = upgraded.learner.agent.to_bytes()
    desk.engine.operate(Operated("me", "a test", "policy", memory, policy=LINEAR))
    desk.flush()
    (standing, _) = followed(desk)
    assert (standing.since, standing.scored) == (desk.state.seq, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[shadow]]\nname = "no spaces"', "line 3: shadow[1].name: name must be a letter"),
        ('[[shadow]]\nnam = "a"', "did you mean 'name'?"),
        ('[[shadow]]\nname = "a"\n[[shadow]]\nname = "a"', "must differ from other shadows, got 'a'"),
        ('[[shadow]]\nname = "a"\npolicy = {name = "LinUBC"}', "did you mean 'LinUCB'?"),
        ("[shadow]\nname = 1", "shadow must be a list"),
    ],
)  # fmt: skip
def test_what_a_file_may_not_say_is_named(text: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse_problem(TEXT + text, "x")
    assert said in str(caught.value)


def test_shadows_may_come_and_go_with_the_file(tmp_path: Path) -> None:
    """Beside a service: a process follows, the status shows it, a command promotes it."""
    more = '[[shadow]]\nname = "steady"\npolicy = {name = "LinUCB", noise = 0.3}\n'
    log = tmp_path / "button.db"

    async def lives(text: str, work: Any) -> None:
        app = build(parse_problem(text, "button"), log)
        async with (
            asyncio.timeout(120),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=app),
                base_url="http://test",
            ) as client,
        ):
            rest: Any = app._rest  # type: ignore[attr-defined]
            async with rest.router.lifespan_context(rest):
                await work(client)

    async def first(client: httpx.AsyncClient) -> None:
        for i in range(60):
            made = (await client.post("/v1/button/decisions", json={"id": f"n{i}"})).json()
            await client.post("/v1/button/rewards", json={"id": f"n{i}", "reward": made["arm"]})
        assert (await client.get("/v1/button")).json()["shadows"] == []

    async def second(client: httpx.AsyncClient) -> None:
        while not (found := (await client.get("/v1/button")).json())["shadows"] or (
            found["shadows"][0]["seq"] < found["seq"]
        ):
            await asyncio.sleep(0.1)
        (standing,) = found["shadows"]
        assert (standing["name"], standing["scored"]) == ("steady", 60)
        text = (await client.get("/metrics")).text
        assert 'driftwise_shadow_gain_low{problem="button",shadow="steady"}' in text
        asked = {"shadow": "steady", "why": "a test"}
        told = (await client.post("/v1/button/promote", json=asked)).json()
        assert told["policy"] == "LinUCB"
        assert (await client.get("/v1/button")).json()["policy"] == "LinUCB"
        wrong = await client.post("/v1/button/promote", json={"shadow": "stedy", "why": "a test"})
        assert wrong.status_code == 404
        assert "steady" in wrong.text

    asyncio.run(lives(TEXT, first))
    asyncio.run(lives(TEXT + more, second))
