"""An agent as a file: it goes on exactly, and what is damaged is refused."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from tests.core.agents import bits, played
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
PAIR = np.array([[1.0, 0.0], [0.6, 0.8]])


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.npz"
    agent = dw.Agent(POLICY, n_arms=2, is_interpreted=True)
    agent.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    name = "memory.ring.history"
    for changes, message in (
        (
            {name: np.zeros(1)},
            r"ring\.history is float64 of shape \(1,\), not float64 of shape \(20, ",
        ),
        (
            {name: arrays[name].astype(int)},
            r"ring\.history is int64 of shape \(20, .*, not float64 of",
        ),
        ({name: None}, r"there is no field ring\.history"),
        ({name: None, "memory.ring.past": arrays[name]}, r"there is no field ring\.history"),
        ({"memory.ring.past": np.zeros(1)}, r"there is a field ring\.past, which is not known"),
        ({"memory_0": np.zeros(1)}, "there is a field memory_0, which is not known"),
        ({name: np.full_like(arrays[name], math.nan)}, "was damaged or saved by another version"),
    ):
        left = {key: array for key, array in (arrays | changes).items() if array is not None}
        np.savez(path, **left)  # type: ignore[arg-type]  # no member has the name of an option
        with pytest.raises(ValueError, match=message):
            dw.Agent.load(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"n_choices": "x"}, "n_choices must be an integer, got 'x'"),
        ({"n_choices": -3}, "n_choices must be at least 0, got -3"),
        ({"seed": None}, "seed must be an integer, got None"),
        ({"dimension": "2"}, "dimension must be an integer, got '2'"),
        ({"is_interpreted": "yes"}, "is_interpreted must be True or False, got 'yes'"),
        ({"is_on_ball": 2}, "is_on_ball must be True or False, got 2"),
        ({"policy": 3}, "policy must have a method `start`, got 3"),
        ({"policy": {"class": 3}}, "a record must have a class and fields, got {'class': 3}"),
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, damage: Any, message: str) -> None:
    path = tmp_path / "agent.npz"
    dw.Agent(POLICY, dimension=2, is_interpreted=True).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    np.savez(path, **arrays | {"header": np.array(json.dumps(header | damage))})
    with pytest.raises((TypeError, ValueError)) as caught:
        dw.Agent.load(path)
    assert str(caught.value) == message
    (name,) = damage
    del header[name]
    np.savez(path, **arrays | {"header": np.array(json.dumps(header))})
    if name == "is_on_ball":  # the first files did not say
        dw.Agent.load(path)
        return
    with pytest.raises(ValueError, match="was damaged or saved by another version"):
        dw.Agent.load(path)


def test_a_saved_agent_goes_on_exactly(tmp_path: Path) -> None:
    agent = played(dw.Agent(POLICY, dimension=2, seed=4))
    pending = agent.choose(PAIR)
    agent.save(tmp_path / "agent")
    loaded = dw.Agent.load(tmp_path / "agent")
    assert loaded.policy == agent.policy
    for each in (agent, loaded):
        each.learn(pending, 0.7)
        played(each, 40)
    assert bits(loaded) == bits(agent)
    assert loaded.n_choices == agent.n_choices
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]  # no draft is left


def test_a_seed_and_a_flag_of_numpy_are_saved(tmp_path: Path) -> None:
    agent = dw.Agent(POLICY, dimension=2, seed=np.int64(3), is_interpreted=np.True_)  # type: ignore[arg-type]
    agent.save(tmp_path / "agent")
    assert dw.Agent.load(tmp_path / "agent").choose(PAIR).luck == agent.choose(PAIR).luck


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    path = tmp_path / "agent"
    agent.save(path)
    before = path.read_bytes()

    def full_disk(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="no space left"):
        played(agent).save(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_other_files_are_not_agents(tmp_path: Path) -> None:
    text, arrays = tmp_path / "text", tmp_path / "arrays.npz"
    text.write_text("hello")
    np.savez(arrays, x=np.zeros(3))
    for path in (text, arrays):
        with pytest.raises(ValueError, match=r"path must be a file written by Agent\.save, got"):
            dw.Agent.load(path)
    with pytest.raises(FileNotFoundError):
        dw.Agent.load(tmp_path / "missing")
