"""An agent on the unit ball: the policy makes up the action, and all else stays the same."""

import json
from pathlib import Path

import numpy as np
import pytest

import driftwise as dw
from tests.core.agents import bits, learnt_bits

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
PAIR = np.array([[1.0, 0.0], [0.6, 0.8]])


def test_late_rewards_a_log_and_a_file(tmp_path: Path) -> None:
    parameter = np.array([0.3, -0.8, 0.1])
    agent = dw.Agent(POLICY, decision_set=dw.UnitBall(3), seed=2, is_interpreted=True)
    waiting, log = [agent.choose()], []
    for _ in range(40):
        waiting.append(agent.choose())
        late = dw.Decision.from_dict(json.loads(json.dumps(waiting.pop(0).as_dict())))
        assert late.arm == 0
        assert np.linalg.norm(late.action) == pytest.approx(1.0, abs=1e-12)
        log.append((late, float(late.action @ parameter)))
        agent.learn(*log[-1])
    assert learnt_bits(agent.replayed(log)) == learnt_bits(agent)
    agent.save(tmp_path / "agent")
    loaded = dw.Agent.load(tmp_path / "agent")
    assert bits(loaded) == bits(agent)
    assert loaded.choose().action.tolist() == agent.choose(dw.UnitBall(3)).action.tolist()


def test_a_ball_stays() -> None:
    agent = dw.Agent(POLICY, decision_set=dw.UnitBall(2), is_interpreted=True)
    for other in (PAIR, PAIR.tolist(), dw.UnitBall(3)):
        with pytest.raises(ValueError, match="decision_set must be the one given at the start"):
            agent.choose(other)
    assert agent.n_choices == 0
    with pytest.raises(TypeError, match="decision_set must be an array of numbers, got UnitBall"):
        dw.Agent(POLICY, decision_set=PAIR, is_interpreted=True).choose(dw.UnitBall(2))
    foreign = dw.Agent(POLICY, decision_set=dw.UnitBall(3), is_interpreted=True).choose()
    with pytest.raises(ValueError, match="decision must be among 1 arms in 2 dimensions"):
        agent.learn(foreign, 1.0)
