"""Compiled versions are called without looking at types: whatever comes in must have the right ones."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.policy import Choice
from driftwise.core.contract.records import arrays_in
from driftwise.core.engine import calls
from driftwise.core.engine.calls import Calls
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)


def bits(agent: dw.Agent) -> bytes:
    return b"".join(array.tobytes() for array in arrays_in(agent.memory))


def sets(n_rounds: int = 30) -> list[Any]:
    rng = np.random.default_rng(n_rounds)
    # Halves and quarters, so that float32 and text hold them exactly.
    return [rng.integers(-8, 9, (rng.integers(1, 6), 2)) / 4.0 for _ in range(n_rounds)]


def play(agent: dw.Agent, shaped: Callable[[Any], Any] = np.array, rounds: int = 30) -> list[int]:
    arms = []
    for t, actions in enumerate(sets(rounds)):
        decision = agent.choose(shaped(actions))
        agent.learn(decision, t / 64)
        arms.append(decision.arm)
    return arms


def read_only(array: Any) -> Any:
    copied = np.array(array)
    copied.flags.writeable = False
    return copied


def strided(array: Any) -> Any:
    wide = np.full([2 * n for n in np.shape(array)], np.nan)
    view = wide[tuple(slice(None, None, 2) for _ in wide.shape)]
    view[...] = array
    return view


def unaligned(array: Any) -> Any:
    data = b"\0" + np.asarray(array).tobytes()
    return np.frombuffer(bytearray(data), offset=1).reshape(np.shape(array))


def backwards(array: Any) -> Any:
    return np.array(array)[::-1].copy()[::-1]


class Labelled(np.ndarray[Any, Any]):
    """Somebody's own kind of array."""


SHAPES: list[Callable[[Any], Any]] = [
    read_only,
    strided,
    unaligned,
    backwards,
    np.asfortranarray,
    lambda array: np.array(array, dtype=np.float32),
    lambda array: np.array(array, dtype=">f8"),
    lambda array: np.array(array).view(Labelled),
    lambda array: np.array(array, dtype=object),
    lambda array: array.tolist(),
    lambda array: tuple(map(tuple, array.tolist())),
]


def test_decision_sets_of_any_make_are_chosen_from_by_one_version() -> None:
    agent = dw.Agent(POLICY, dimension=2)
    wanted = play(dw.Agent(POLICY, dimension=2, is_interpreted=True))
    assert play(agent) == wanted
    versions = len(calls.choose.signatures)  # type: ignore[attr-defined]  # compiled
    for shaped in SHAPES:
        each = dw.Agent(POLICY, dimension=2)
        assert play(each, shaped) == wanted
        assert bits(each) == bits(agent)
    assert len(calls.choose.signatures) == versions  # type: ignore[attr-defined]  # compiled


def test_makes_may_change_from_round_to_round() -> None:
    agent, plain = dw.Agent(POLICY, dimension=2), dw.Agent(POLICY, dimension=2)
    for t, actions in enumerate(sets(len(SHAPES))):
        decision = agent.choose(SHAPES[t](actions))
        agent.learn(decision, 0.5)
        plain.learn(plain.choose(actions), 0.5)
    assert bits(agent) == bits(plain)


def test_a_fixed_decision_set_of_any_make() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 0.75], [0.25, 0.0]])  # on the axes: quick to compile
    for shaped in SHAPES:
        agent = dw.Agent(POLICY, decision_set=shaped(rows))
        plain = dw.Agent(POLICY, decision_set=rows)
        for offer in (None, shaped(rows), rows):
            decision = agent.choose(offer)
            agent.learn(decision, 0.5)
            plain.learn(plain.choose(), 0.5)
            assert decision.action.tolist() == rows[decision.arm].tolist()
        assert bits(agent) == bits(plain)


@pytest.mark.parametrize("shaped", [read_only, strided, unaligned, backwards])
def test_an_action_of_any_make_is_learnt_from_by_one_version(shaped: Callable[[Any], Any]) -> None:
    agent, plain = dw.Agent(POLICY, dimension=2), dw.Agent(POLICY, dimension=2)
    plain.learn(plain.choose([[0.5, 0.75]]), 1.0)
    versions = len(calls.learn.signatures)  # type: ignore[attr-defined]  # compiled
    decision = agent.choose([[0.5, 0.75]])
    agent.learn(decision._replace(action=shaped(decision.action)), 1.0)
    assert bits(agent) == bits(plain)
    assert len(calls.learn.signatures) == versions  # type: ignore[attr-defined]  # compiled


@pytest.mark.parametrize("dtype", ["float32", ">f8", "int64", "object"])
def test_an_action_of_other_numbers_is_refused(dtype: str) -> None:
    agent = dw.Agent(POLICY, dimension=2)
    decision = agent.choose([[1.0, 2.0]])
    agent.learn(decision, 0.0)  # so that a version is at hand
    with pytest.raises(TypeError, match="decision must have an array of floats as action"):
        agent.learn(decision._replace(action=decision.action.astype(dtype)), 1.0)


def test_arrays_with_more_axes_never_reach_a_version() -> None:
    """The agent refuses them earlier; a version would write beyond what it holds."""
    at_work = Calls(POLICY, POLICY.start(0, 2, None), False)
    with pytest.raises(ValueError, match="array must have 2 axes, got 3"):
        at_work.choose(np.zeros((1, 1, 2)), False, 1, 0, 1.0)
    with pytest.raises(ValueError, match="array must have 1 axes, got 2"):
        at_work.learn(np.zeros((1, 2)), Choice(0, 1.0, 0.0), 0.0, 1, was_expected=False)


@pytest.mark.slow
def test_a_record_of_other_types_is_learnt_from_all_the_same() -> None:
    """A database may give 1 for 1.0."""
    agent, plain = dw.Agent(POLICY, dimension=2), dw.Agent(POLICY, dimension=2)
    for one in (1.0, 1, 1.0):
        decision = agent.choose([[0.5, 0.75]])
        agent.learn(decision._replace(choice=decision.choice._replace(propensity=one)), 1.0)
        plain.learn(plain.choose([[0.5, 0.75]]), 1.0)
    assert bits(agent) == bits(plain)


def test_a_memory_cannot_be_replaced() -> None:
    agent = dw.Agent(POLICY, dimension=2, is_interpreted=True)
    with pytest.raises(AttributeError):
        agent.memory = POLICY.start(0, 3, None)  # type: ignore[misc]  # that is the point


def reloaded(agent: dw.Agent, folder: Path) -> dw.Agent:
    agent.save(folder / "agent")
    return dw.Agent.load(folder / "agent")


@pytest.mark.parametrize(
    "copied",
    [
        lambda agent, folder: pickle.loads(pickle.dumps(agent)),
        lambda agent, folder: copy.deepcopy(agent),
        reloaded,
    ],
)
def test_a_copy_has_a_memory_of_its_own_and_goes_on_exactly(
    copied: Callable[[dw.Agent, Path], dw.Agent], tmp_path: Path
) -> None:
    agent = dw.Agent(POLICY, dimension=2, seed=3)
    play(agent)  # so that versions are at hand
    before = bits(agent)
    twin = copied(agent, tmp_path)
    ours = play(twin)
    assert bits(agent) == before, "it was not the copy that learnt"
    assert play(agent) == ours
    assert bits(twin) == bits(agent)
    for array, other in zip(arrays_in(twin.memory), arrays_in(agent.memory), strict=True):
        assert not np.shares_memory(array, other)


def test_versions_do_not_travel() -> None:
    agent = dw.Agent(POLICY, dimension=2)
    play(agent)
    at_work = agent._calls
    assert at_work._choose is not None
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert twin._calls._choose is None
        assert twin._calls._learn == (None, None)
        assert twin.memory is twin._calls.memory


def in_another_process(code: str, folder: Path, **environment: str) -> None:
    subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=os.environ | environment, check=True
    )


ELSEWHERE = """
import pickle
from pathlib import Path
agent = pickle.loads(Path("agent").read_bytes())
decisions = []
for actions in pickle.loads(Path("sets").read_bytes()):
    decisions.append(agent.choose(actions))
    agent.learn(decisions[-1], 0.5)
Path("played").write_bytes(pickle.dumps((agent, decisions)))
"""


@pytest.mark.parametrize("environment", [{}, {"NUMBA_DISABLE_JIT": "1"}])
def test_an_agent_and_its_decisions_travel_between_processes(
    environment: dict[str, str], tmp_path: Path
) -> None:
    here = dw.Agent(POLICY, dimension=2)
    play(here)
    there, late = copy.deepcopy(here), copy.deepcopy(here)
    (tmp_path / "agent").write_bytes(pickle.dumps(there))
    (tmp_path / "sets").write_bytes(pickle.dumps(sets()))
    in_another_process(ELSEWHERE, tmp_path, **environment)
    there, decisions = pickle.loads((tmp_path / "played").read_bytes())
    for actions, decision in zip(sets(), decisions, strict=True):
        assert here.choose(actions).arm == decision.arm
        here.learn(decision, 0.5)
        late.learn(decision, 0.5)
    assert bits(there) == bits(here) == bits(late)
    assert play(there) == play(here)


def test_agents_in_threads_of_their_own_do_not_disturb_each_other() -> None:
    def run(seed: int) -> tuple[list[int], bytes]:
        agent = dw.Agent(POLICY._replace(window=5 + seed), dimension=2, seed=seed)
        return play(agent, rounds=200), bits(agent)

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, range(8)))
    assert together == [run(seed) for seed in range(8)]
