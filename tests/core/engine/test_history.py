"""What an agent remembers of its decisions: a ring against a list that forgets nothing."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.features import Encoder, Number


def agent_with(history: int) -> dw.Agent:
    return dw.Agent(dw.UCB1(), n_arms=3, history=history, is_interpreted=True)


@given(capacity=st.integers(1, 6), delays=st.lists(st.integers(0, 8), max_size=30))
def test_the_last_ones_and_their_rewards(capacity: int, delays: list[int]) -> None:
    agent, made = agent_with(capacity), list[dw.Decision]()
    rewards = [math.nan] * len(delays)
    for now, _ in enumerate(delays):
        made.append(agent.choose())
        for then, delay in enumerate(delays[: now + 1]):
            if then + delay == now:
                rewards[then] = float(then)
                agent.learn(made[then], float(then))
    found = agent.history()
    n = min(capacity, len(delays))
    assert len(found) == n
    assert found.number.tolist() == list(range(len(delays) - n + 1, len(delays) + 1))
    assert found.arm.tolist() == [each.arm for each in made[len(made) - n :]]
    np.testing.assert_array_equal(found.propensity, [d.propensity for d in made[len(made) - n :]])
    np.testing.assert_array_equal(found.value, [d.value for d in made[len(made) - n :]])
    np.testing.assert_array_equal(found.reward, rewards[len(rewards) - n :])


def test_decisions_are_the_same_with_and_without() -> None:
    one, other = agent_with(5), agent_with(0)
    for _ in range(20):
        first, second = one.choose(), other.choose()
        assert first.as_dict() == second.as_dict()
        one.learn(first, 0.5)
        other.learn(second, 0.5)
    assert one.digest == other.digest


def test_without_a_history_there_is_none_to_look_at() -> None:
    with pytest.raises(ValueError, match=r"history must be at least 1 .* got 0: Agent\("):
        agent_with(0).history()
    with pytest.raises(ValueError, match="history must be at least 0, got -1"):
        agent_with(-1)


def test_a_file_keeps_how_many_and_a_pickle_all(tmp_path: Path) -> None:
    agent = agent_with(2)
    for _ in range(3):
        agent.learn(agent.choose(), 1.0)
    agent.save(tmp_path / "agent.npz")
    loaded = dw.Agent.load(tmp_path / "agent.npz")
    assert len(loaded.history()) == 0
    loaded.choose()
    assert loaded.history().number.tolist() == [4]
    copied = pickle.loads(pickle.dumps(agent))
    copied.choose()
    assert copied.history().number.tolist() == [3, 4]
    assert agent.history().number.tolist() == [2, 3]


def test_it_can_be_looked_at() -> None:
    agent = agent_with(10)
    assert repr(agent.history()) == "The last 0 decisions\n  rewards  0"
    first, _ = agent.choose(), agent.choose()
    agent.learn(first, 0.25)
    found = agent.history()
    assert repr(found).splitlines()[:3] == [
        "The last 2 decisions", "  rewards      1", "  mean reward  0.25",
    ]  # fmt: skip
    assert len(repr(found).splitlines()) == 6
    assert "<td>0.25</td>" in found._repr_html_()
    frame = found.frame()
    assert agent_with(1).history().frame().columns == frame.columns
    assert frame.columns == ["number", "arm", "propensity", "value", "reward"]
    assert frame["reward"].to_list() == [0.25, None]


def test_actions_with_names_are_told_by_their_names() -> None:
    encoder = Encoder(action={"price": Number(0, 1)})
    agent = dw.Agent(dw.LinUCB(noise=0.1), encoder=encoder, history=3, is_interpreted=True)
    decision = agent.choose(context={}, actions={"red": {"price": 0.5}, "blue": {"price": 1}})
    found = agent.history()
    assert found.name.tolist() == [decision.name]
    assert found.frame()["name"].to_list() == [decision.name]
    assert str(decision.name) in repr(found)


def test_an_agent_that_is_replayed_keeps_as_many() -> None:
    assert len(agent_with(2).replayed([]).history()) == 0
