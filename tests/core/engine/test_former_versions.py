"""Files and decisions of version 0.1.0 are read, and agents go on as they would have there."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.contract.former_names import FORMER_NAMES
from driftwise.core.contract.names import class_named, name_of
from tests.core.hostile import FUZZ, members_of, packed, refused_or_played
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

# Of every policy an agent after 25 rounds, the decision that waits for its reward, and the arms of
# the next 15 rounds, interpreted. Written by 0.1.0 and never again.
SAMPLES = Path(__file__).parents[2] / "data" / "agents_0_1_0.tar.xz"


@cache
def samples() -> dict[str, bytes]:
    with tarfile.open(SAMPLES) as archive:
        members = {each.name: archive.extractfile(each) for each in archive.getmembers()}
        return {name: file.read() for name, file in members.items() if file is not None}


@cache
def index() -> dict[str, Any]:
    return json.loads(samples()["index.json"])  # type: ignore[no-any-return]  # as it was written


def went_on(agent: dw.Agent) -> list[dw.Decision]:
    """Play 15 rounds as those of the samples were."""
    rng = np.random.default_rng(2)
    decisions = []
    for _ in range(15):
        is_fixed = agent._offers.fixed is not None
        rows = None if is_fixed else rng.standard_normal((4, 3)).round(3) / 2
        decision = agent.choose(rows)
        is_logistic = "GLM" in type(agent.policy).__name__
        reward = float(rng.random() < 0.5) if is_logistic else float(round(rng.random(), 3))
        agent.learn(decision, reward)
        decisions.append(decision)
    return decisions


@pytest.mark.parametrize("name", index())
def test_an_agent_of_0_1_0_goes_on_exactly(name: str, tmp_path: Path) -> None:
    (tmp_path / "agent").write_bytes(samples()[f"{name}.npz"])
    agent, told = dw.Agent.load(tmp_path / "agent"), index()[name]
    again = dw.Agent.from_bytes(agent.to_bytes())
    assert again.digest == agent.digest
    for each in (agent, again):
        decisions = went_on(each)
        assert [decision.arm for decision in decisions] == told["arms"]
        assert decisions[-1].action.tolist() == told["last_actions"]


@pytest.mark.parametrize("name", index())
def test_a_decision_of_0_1_0_is_learnt_by_the_agent_that_made_it(name: str) -> None:
    agent, record = dw.Agent.from_bytes(samples()[f"{name}.npz"]), index()[name]["waiting"]
    decision = dw.Decision.from_dict(record)
    assert decision.policy == record["policy"]
    assert (
        dw.Decision.from_dict(json.loads(json.dumps(decision.as_dict()))).policy == decision.policy
    )
    before = agent.digest
    agent.learn(decision, 0.5)
    assert name == "Uniform" or agent.digest != before
    other = dw.Agent(dw.Exp3(mixing=0.123), n_arms=3, is_interpreted=True)
    with pytest.raises(
        TypeError, match=r"fingerprint '[0-9a-f]{16}', this agent has '[0-9a-f]{16}'"
    ):
        other.learn(decision, 0.5)


def test_every_policy_of_0_1_0_is_among_the_samples() -> None:
    assert {cls.partition("-")[0] for cls in index()} | {"Choice"} >= {
        name for name in FORMER_NAMES.values() if not name.endswith("Choice")
    }


@pytest.mark.parametrize(("path", "name"), FORMER_NAMES.items())
def test_a_former_name_leads_to_the_class_of_today(path: str, name: str) -> None:
    assert class_named(path) is class_named(name)
    assert name_of(class_named(name)) == name


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((7, 7)), "memory_0, float64 of shape (7, 7), does not fit regression."),
        (np.zeros((3, 3), np.int64), "memory_0, int64 of shape (3, 3), does not fit regression."),
        (None, "there is no memory_0"),
    ],
)
def test_a_layout_that_is_gone_is_said_to_be(array: Any, message: str) -> None:
    members = members_of(samples()["LinTS.npz"])
    if array is None:
        members["memory_6"] = members.pop("memory_0")
    else:
        members["memory_0"] = array
    with pytest.raises(
        ValueError, match=r"damaged or saved by driftwise 0\.1\.0 in another"
    ) as caught:
        dw.Agent.from_bytes(packed(members))
    assert message in str(caught.value)
    assert "LinTS" in str(caught.value)


def test_numbers_too_few_or_too_many_are_refused() -> None:
    members = members_of(samples()["LinTS.npz"])
    for cells in (np.zeros(2), np.zeros(4), np.zeros(0), np.zeros((1, 3))):
        with pytest.raises(
            ValueError, match=r"does not fit radius, float64|there is nothing for dim"
        ):
            dw.Agent.from_bytes(packed(members | {"memory_5": cells}))
    with pytest.raises(ValueError, match="does not fit any field"):
        dw.Agent.from_bytes(packed(members | {"memory_6": np.zeros(1)}))
    del members["memory_5"]
    with pytest.raises(ValueError, match="there is nothing for radius"):
        dw.Agent.from_bytes(packed(members))


@pytest.mark.parametrize("name", index())
@given(data=st.data())
@FUZZ
def test_a_damaged_file_of_0_1_0_is_refused(name: str, data: Any, tmp_path: Path) -> None:
    content = bytearray(samples()[f"{name}.npz"])
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    refused_or_played(tmp_path / "agent", bytes(content))
    members = members_of(samples()[f"{name}.npz"])
    names = sorted(key for key, array in members.items() if key[:6] == "memory" and array.size > 0)
    if names:
        members[data.draw(st.sampled_from(names))].flat[0] = data.draw(st.integers(-3, 10**12))
        refused_or_played(tmp_path / "agent", packed(members))
