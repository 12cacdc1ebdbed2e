"""What is kept outlives a move of files: names of fields, versions, digests, changed settings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.contract.former_names import FORMER_NAMES
from driftwise.core.contract.memories import digest_of, fields_in, layout_of
from driftwise.core.models.ridge.regression import begin
from tests.core.agents import bits, played
from tests.core.hostile import CASES, agent_of, content_of, members_of, packed
from tests.making import BEYOND_SETTINGS

pytestmark = BEYOND_SETTINGS

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)
ANOTHER = "must hold a memory as .* lays it out in this version, got"


def header_of(content: bytes) -> Any:
    return json.loads(str(members_of(content)["header"]))


def with_header(content: bytes, changes: dict[str, Any]) -> bytes:
    header = header_of(content) | changes
    return packed(members_of(content) | {"header": np.array(json.dumps(header))})


@pytest.mark.parametrize(
    ("name", "kind"), [case for case in CASES if case[1] in ("rows", "changing")]
)
def test_no_record_names_a_module(name: str, kind: str) -> None:
    agent = agent_of(name, kind)
    rows = np.eye(3) if kind == "changing" else None
    record = json.dumps(agent.choose(rows).as_dict())
    for text in (json.dumps(header_of(agent.to_bytes())), record):
        assert not re.search(r'"class": "[^"]*[.:]', text)
        assert "driftwise." not in text
        assert type(agent.policy).__name__ in text


def test_a_file_tells_versions_fields_and_layouts() -> None:
    agent = dw.Agent(POLICY, dimension=2, is_interpreted=True)
    members = members_of(agent.to_bytes())
    header = json.loads(str(members.pop("header")))
    assert header["format"] == "driftwise agent 2"
    assert header["version"] == dw.__version__
    assert {place: name for place, (name, _) in header["layout"].items()} == {
        "": "WindowMemory",
        "regression": "Dense",
        "ring": "Ring",
    }
    assert members.keys() == {f"memory.{place}" for place in fields_in(agent.memory)}
    assert {"memory.regression.estimate", "memory.ring.clock", "memory.radius"} <= members.keys()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_names_are_what_counts_not_the_order(name: str, kind: str) -> None:
    content = content_of(name, kind)
    turned = packed(dict(reversed(members_of(content).items())))
    assert turned != content or len(members_of(content)) == 1
    assert dw.Agent.from_bytes(turned).digest == dw.Agent.from_bytes(content).digest


@pytest.mark.parametrize(
    ("place", "entry", "message"),
    [
        ("ring", ["Circle", ""], "ring is Circle, not Ring"),
        ("", ["Memory", ""], "memory is Memory, not WindowMemory"),
        ("ring", ["Ring", "0" * 16], "ring is a Ring with another digest"),
    ],
)
def test_another_layout_is_refused(place: str, entry: list[str], message: str) -> None:
    content = dw.Agent(POLICY, dimension=2, is_interpreted=True).to_bytes()
    layout = header_of(content)["layout"]
    damaged = with_header(content, {"layout": layout | {place: entry}})
    with pytest.raises(ValueError, match=f"content {ANOTHER} .*: {message}$"):
        dw.Agent.from_bytes(damaged)
    del layout[place]
    with pytest.raises(ValueError, match=f"{place or 'memory'} is nothing, not"):
        dw.Agent.from_bytes(with_header(content, {"layout": layout}))


def test_a_memory_whose_class_was_renamed_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = played(dw.Agent(POLICY, dimension=2, is_interpreted=True))
    layout = header_of(agent.to_bytes())["layout"]
    layout["ring"][0] = "Circle"
    content = with_header(agent.to_bytes(), {"layout": layout})
    monkeypatch.setitem(FORMER_NAMES, "Circle", "Ring")
    assert dw.Agent.from_bytes(content).digest == agent.digest


@pytest.mark.parametrize("layout", [None, 3, [], {"": 3}, {"": []}, {"": [1, 2]}, {"": {}}])
def test_a_damaged_layout_is_refused(layout: Any) -> None:
    content = dw.Agent(POLICY, dimension=2, is_interpreted=True).to_bytes()
    with pytest.raises(ValueError, match="was damaged or saved by another version"):
        dw.Agent.from_bytes(with_header(content, {"layout": layout}))


def test_a_format_to_come_is_said_to_be_one() -> None:
    content = dw.Agent(POLICY, dimension=2, is_interpreted=True).to_bytes()
    later = with_header(content, {"format": "driftwise agent 3", "version": "9.1"})
    with pytest.raises(ValueError, match=r"in driftwise agent 3 of driftwise 9\.1$"):
        dw.Agent.from_bytes(later)


def test_an_agent_as_bytes_goes_on_exactly(tmp_path: Path) -> None:
    agent = played(dw.Agent(POLICY, dimension=2, seed=4, is_interpreted=True))
    agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").read_bytes() == agent.to_bytes()
    again = dw.Agent.from_bytes(agent.to_bytes())
    assert again.to_bytes() == agent.to_bytes()
    assert bits(played(again, 40)) == bits(played(agent, 40))
    for wrong, message in (
        (b"hello", "content must be a file written by Agent.save, got 5 bytes"),
        (agent.to_bytes()[:-9], r"content must be a file written by Agent\.save, got \d+ bytes"),
    ):
        with pytest.raises(ValueError, match=message):
            dw.Agent.from_bytes(wrong)
    with pytest.raises(TypeError, match="content must be bytes, got str"):
        dw.Agent.from_bytes("hello")  # type: ignore[arg-type]  # that is the point


def test_a_digest_tells_memories_apart_and_nothing_else() -> None:
    agent = played(dw.Agent(POLICY, dimension=2))
    before = agent.digest
    assert re.fullmatch("[0-9a-f]{64}", before)
    decision = agent.choose(np.eye(2))
    assert agent.digest == before
    agent.learn(decision, 0.5)
    assert agent.digest != before
    slow = played(dw.Agent(POLICY, dimension=2, seed=0, is_interpreted=True))
    assert slow.digest == before


class Sums(NamedTuple):
    counts: NDArray[Any]
    sums: NDArray[Any]


def test_a_digest_is_the_same_on_any_machine() -> None:
    memory = Sums(np.array([1.0, 2.0]), np.array([0.5, -3.0]))
    other = Sums(*(array.astype(">f8") for array in memory))
    known = "155d96e3e73f548e16fb6682f2663c724ad09d7138cbb74e1299ff6816fef2af"
    assert digest_of(memory) == digest_of(other) == known
    table = np.arange(6.0).reshape(2, 3)
    assert digest_of((table,)) == digest_of((np.asfortranarray(table),))
    assert digest_of((table,)) != digest_of((table.reshape(3, 2),))
    assert layout_of(memory) == layout_of(other)
    assert layout_of(memory) != layout_of(Sums(*(array.astype(int) for array in memory)))
    assert layout_of(begin(2, 2, None)) == layout_of(begin(9, 5, None))


LINEAR = [
    POLICY,
    dw.LinUCB(noise=0.1),
    dw.LinTS(noise=0.1),
    dw.RestartUCB(9, 0.1),
    dw.OracleRestart([10, 20], 0.1),
    dw.DiscountedLinUCB(0.9, 0.1),
    dw.DiscountedLinTS(0.9, 0.1),
    dw.WeightedUCB(0.9, 0.1),
]


@pytest.mark.parametrize("policy", LINEAR)
@pytest.mark.parametrize("setting", ["noise", "parameter_norm", "confidence"])
@pytest.mark.parametrize("rounds", [0, 1, 25])
def test_an_agent_goes_on_with_changed_settings(policy: Any, setting: str, rounds: int) -> None:
    """From the next reward on, which renews a radius, as if it had learnt with them from the start."""
    changed = policy._replace(**{setting: 0.5})
    agent, wanted = (
        dw.Agent(each, dimension=3, seed=1, is_interpreted=True) for each in (policy, changed)
    )
    log = logged(agent, rounds)
    loaded = dw.Agent.from_bytes(agent.to_bytes(), policy=changed)
    assert loaded.policy == changed
    assert loaded.n_choices == agent.n_choices
    log += logged(agent, 1)
    for each, part in ((wanted, log), (loaded, log[-1:])):
        for made, reward in part:
            parts = {"luck": made.luck, "action": made.action, "choice": made.choice}
            each.learn(dw.Decision.from_parts(policy=changed, **parts), reward)
    assert loaded.digest == wanted.digest
    assert dw.Agent.from_bytes(agent.to_bytes(), policy=policy).digest == agent.digest


def logged(agent: dw.Agent, rounds: int) -> list[tuple[dw.Decision, float]]:
    rng = np.random.default_rng(rounds)
    log = []
    for _ in range(rounds):
        log.append((agent.choose(rng.standard_normal((4, 3))), float(rng.standard_normal())))
        agent.learn(*log[-1])
    return log


def test_a_number_that_follows_from_settings_alone_follows_at_once() -> None:
    """The radius of a window is that of a full one from the start, and never written again."""
    agent = played(dw.Agent(POLICY, dimension=2, is_interpreted=True))
    changed = POLICY._replace(parameter_norm=2.0)
    loaded = dw.Agent.from_bytes(agent.to_bytes(), policy=changed)
    fresh = dw.Agent(changed, dimension=2, is_interpreted=True)
    assert loaded.memory.radius[0] == fresh.memory.radius[0] != agent.memory.radius[0]
    assert np.array_equal(loaded.estimate, agent.estimate)
    with pytest.raises(TypeError) as caught:
        loaded.learn(agent.choose(np.eye(2)), 1.0)
    assert str(caught.value).endswith(
        ": decision was made with parameter_norm=1.0, this agent has 2.0"
    )


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            POLICY._replace(window=30),
            r"ring\.history is float64 of shape \(20, \d\), not .*\(30, \d\)",
        ),
        (dw.LinUCB(noise=0.1), "memory is WindowMemory, not GrowingMemory"),
    ],
)
def test_settings_that_change_the_layout_are_refused(
    policy: Any, message: str, tmp_path: Path
) -> None:
    agent = played(dw.Agent(POLICY, dimension=2, is_interpreted=True))
    agent.save(tmp_path / "agent")
    name = type(policy).__name__
    with pytest.raises(
        ValueError, match=f"^policy must lay out .* saved one is, got a {name} that .*, {message}"
    ):
        dw.Agent.load(tmp_path / "agent", policy=policy)
    with pytest.raises(TypeError, match="policy must be an instance"):
        dw.Agent.load(tmp_path / "agent", policy=dw.LinUCB)  # type: ignore[arg-type]  # as it says


def test_a_policy_that_was_renamed_is_read_with_its_twin() -> None:
    agent = played(dw.Agent(POLICY, dimension=2, is_interpreted=True))
    plain = header_of(agent.to_bytes())["policy"] | {"class": "theirs:Renamed"}
    content = with_header(agent.to_bytes(), {"policy": plain})
    assert dw.Agent.from_bytes(content, policy=POLICY).digest == agent.digest
    for policy in (None, POLICY._replace(noise=0.2)):
        with pytest.raises(ValueError, match="'theirs:Renamed' must be of a package that was"):
            dw.Agent.from_bytes(content, policy=policy)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (dw.RestartUCB(50, noise=0.1), dw.RestartUCB(10, noise=0.1)),
        (dw.Rexp3(0.1, 50), dw.Rexp3(0.1, 10)),
    ],
    ids=["RestartUCB", "Rexp3"],
)
def test_a_period_that_was_shortened_ends(before: Any, after: Any) -> None:
    agent = dw.Agent(before, n_arms=2, is_interpreted=True)
    for _ in range(20):
        agent.learn(agent.choose(), 0.5)
    agent = dw.Agent.from_bytes(agent.to_bytes(), policy=after)
    agent.learn(agent.choose(), 0.5)
    assert agent.memory.rounds[0] == 0
