"""A file that was damaged, or made to do damage, is refused in one sentence."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.limits import keeps_limits
from driftwise.core.contract.records import arrays_in
from driftwise.core.models.kalman.arm_filters import COUNT
from driftwise.registry import all_policies
from tests.core.hostile import (
    CASES,
    FUZZ,
    agent_of,
    content_of,
    members_of,
    packed,
    refused_or_played,
    refuses,
)
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
DAMAGED = "was damaged or saved by another version"
INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 30)
FLOATS = st.floats(allow_nan=True) | st.integers(-3, 200).map(float)


@pytest.mark.parametrize("name", all_policies())
@given(data=st.data())
@FUZZ
def test_bytes_that_flip_are_noticed(name: str, data: Any, tmp_path: Path) -> None:
    content = bytearray(content_of(name, "rows"))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.integers(0, len(content)) | st.just(len(content)))
    refused_or_played(tmp_path / "agent", bytes(content[:cut]))


@pytest.mark.parametrize(("name", "kind"), CASES)
@given(data=st.data())
@FUZZ
def test_any_number_in_a_memory_may_be_wrong(
    name: str, kind: str, data: Any, tmp_path: Path
) -> None:
    members = members_of(content_of(name, kind))
    names = sorted(key for key in members if key.startswith("memory.") and members[key].size > 0)
    array = members[data.draw(st.sampled_from(names))]
    place = data.draw(st.integers(0, array.size - 1))
    if array.dtype.kind == "u":
        array.flat[place] = data.draw(INTEGERS) % 2 ** (8 * array.itemsize)
    else:
        numbers = {"i": INTEGERS, "f": FLOATS, "b": st.booleans()}[array.dtype.kind]
        with np.errstate(over="ignore"):
            array.flat[place] = data.draw(numbers)
    refused_or_played(tmp_path / "agent", packed(members))


@pytest.mark.parametrize("most", [30, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_integer_of_a_memory_has_its_limits(name: str, kind: str, most: int | None) -> None:
    """In 30 places of every array, and in all of them where there is time."""
    memory = agent_of(name, kind).memory
    assert keeps_limits(memory)
    for array in arrays_in(memory):
        if array.dtype.kind not in "iu":
            continue
        places = np.linspace(0, array.size - 1, most or array.size).astype(int)
        for place in np.unique(places):
            for wrong in {np.iinfo(array.dtype).min, np.iinfo(array.dtype).max} - {0}:
                right, array.flat[place] = array.flat[place], wrong
                assert not keeps_limits(memory)
                array.flat[place] = right


@pytest.mark.parametrize(
    ("name", "kind", "place", "wrong"),
    [
        ("SlidingWindowUCB", "axes", "ring.clock", (1, 10**12)),  # a slot: it ended the process
        ("SlidingWindowUCB", "axes", "ring.clock", (1, 2000)),  # it overwrote what was there
        ("SlidingWindowUCB", "axes", "ring.history", (1, 4.0)),  # an arm
        ("SlidingWindowUCB", "rows", "ring.history", (1, 5.0)),
        ("SlidingWindowUCB", "rows", "ring.history", (1, 0.5)),
        ("AdaptiveUCB, told", "axes", "filters.played", (0, 3.0)),  # an axis
        ("AdaptiveUCB, told", "axes", "filters.played", (2, -1.0)),
        ("AdaptiveUCB", "axes", "filters.newest", (0, 1)),  # a block
        ("AdaptiveUCB", "pair", "watched", (0, 2)),  # an arm
        ("AdaptiveUCB", "pair", "filters.summary", (2 * COUNT, -1.0)),  # its rewards
        ("OracleRestart", "rows", "passed", (0, -3.0)),  # of the change that comes next
        ("BanditOverBandit", "rows", "block", (1, 7)),  # a candidate
        ("BanditOverBandit", "rows", "base.ring.clock", (1, 10**12)),
        ("Corral", "axes", "bases.2.ring.clock", (0, -1)),
        ("Master", "rows", "block", (2, 9)),  # an order that is not in the block
        ("DetectingLinUCB", "rows", "pool", (0, 5)),  # a model
    ],
)
def test_an_index_that_leads_out_of_a_memory_is_refused(
    name: str, kind: str, place: str, wrong: tuple[int, Any], tmp_path: Path
) -> None:
    agent = agent_of(name, kind)
    agent.save(tmp_path / "agent")
    dw.Agent.load(tmp_path / "agent")
    array: Any = agent.memory
    for step in place.split("."):
        array = array[int(step)] if step.isdigit() else getattr(array, step)
    index, value = wrong
    array.flat[index] = value
    agent.save(tmp_path / "agent")
    with pytest.raises(ValueError, match=DAMAGED):
        dw.Agent.load(tmp_path / "agent")


def test_a_stack_of_memories_is_looked_at_layer_by_layer(tmp_path: Path) -> None:
    """Master holds one memory of its base for every order."""
    base = dw.SlidingWindowUCB(window=7, noise=0.1)
    agent = dw.Agent(dw.Master(base, 1.0, 0.0, 1.0, 4), n_arms=2, is_interpreted=True)
    agent.save(tmp_path / "agent")
    dw.Agent.load(tmp_path / "agent")
    agent.memory.bases.ring.clock[3, 1] = 7
    agent.save(tmp_path / "agent")
    with pytest.raises(ValueError, match=DAMAGED):
        dw.Agent.load(tmp_path / "agent")


@pytest.mark.parametrize("name", ["BanditOverBandit", "Corral", "Master"])
@given(data=st.data())
@FUZZ
def test_a_damaged_policy_over_policies_is_refused(name: str, data: Any, tmp_path: Path) -> None:
    members = members_of(content_of(name, "rows"))
    header = json.loads(str(members["header"]))
    spot = header["policy"]["fields"]
    while True:  # walk down to some field of some policy inside
        key = data.draw(st.sampled_from(sorted(spot)))
        inner = spot[key]
        if not isinstance(inner, dict) or data.draw(st.booleans()):
            break
        spot = inner if "tuple" not in inner else {"only": inner["tuple"][0]}
    spot[key] = data.draw(
        st.none() | st.booleans() | st.text(max_size=3) | INTEGERS | st.just({}) | st.just([])
        | st.just({"tuple": []}) | st.just({"class": "Choice", "fields": {}})
        | st.floats(allow_nan=False, allow_infinity=False)
    )  # fmt: skip
    refused_or_played(
        tmp_path / "agent", packed(members | {"header": np.array(json.dumps(header))})
    )


def test_a_file_of_numpy_2_0_is_read(tmp_path: Path) -> None:
    """There `np.savez(..., allow_pickle=False)` wrote an array of that name into the file."""
    members = members_of(content_of("SlidingWindowUCB", "changing"))
    path = tmp_path / "agent"
    path.write_bytes(packed(members))
    with zipfile.ZipFile(path, "a") as archive, archive.open("allow_pickle.npy", "w") as member:
        np.lib.format.write_array(member, np.array(False))
    assert "allow_pickle" in np.load(path)
    assert dw.Agent.load(path).n_choices == 30


def test_a_file_has_no_member_but_header_memory_and_decision_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numpy 2.0 and 2.1 take every word that `savez` is given for the name of an array."""
    saved: dict[str, Any] = {}
    monkeypatch.setattr(np, "savez", lambda file, **members: saved.update(members))
    dw.Agent(POLICY, decision_set=np.eye(2), is_interpreted=True).save(tmp_path / "agent")
    assert {name.partition(".")[0] for name in saved} == {"header", "memory", "decision_set"}


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_memory_that_is_not_finite_does_not_replace_one_that_is(
    wrong: float, tmp_path: Path
) -> None:
    agent, path = agent_of("SlidingWindowUCB", "changing"), tmp_path / "agent"
    agent.save(path)
    before = path.read_bytes()
    agent.memory.regression.estimate[1] = wrong
    with pytest.raises(
        ValueError, match=f"must be finite to be saved, got {wrong} in regression.estimate"
    ):
        agent.save(path)
    assert path.read_bytes() == before


def test_a_flag_is_true_or_false(tmp_path: Path) -> None:
    members = members_of(content_of("AdSwitch", "axes"))
    (flags,) = (array for array in members.values() if array.dtype == bool)
    flags.view(np.uint8)[0] = 2
    assert refuses(tmp_path / "agent", packed(members))
