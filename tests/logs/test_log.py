"""A log as a sequence: its length, its events, parts of it, and rewards that came by themselves."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import driftwise as dw

EVENTS = [{"event_id": str(t), "time": float(t), "action": t % 3} for t in range(10)]


@pytest.fixture(params=["memory", "jsonl", "parquet"])
def log(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dw.Log:
    monkeypatch.setattr("driftwise.logs.json_lines._BLOCK", 100)  # so that there are several
    monkeypatch.setattr("driftwise.logs.frames.BATCH", 4)
    monkeypatch.setattr("driftwise.logs.parquet.BATCH", 4)
    held = dw.Log(EVENTS)
    if request.param == "memory":
        return held
    return dw.Log.read(held.write(tmp_path / f"log.{request.param}"))


def test_it_is_a_sequence(log: dw.Log) -> None:
    assert len(log) == 10
    assert list(log) == EVENTS
    assert list(log) == EVENTS, "and may be read again"
    assert [log[0], log[7], log[-1]] == [EVENTS[0], EVENTS[7], EVENTS[-1]]
    assert repr(log) == "<Log of 10 events>"


@pytest.mark.parametrize("part", [slice(2, 5), slice(None, None, 3), slice(-2, None), slice(5, 5)])
def test_slices(log: dw.Log, part: slice) -> None:
    assert list(log[part]) == EVENTS[part]
    assert list(log[1:][part]) == EVENTS[1:][part]
    assert len(log[part]) == len(EVENTS[part])


def test_filters(log: dw.Log) -> None:
    kept = log.filter(lambda event: event["action"] == 1)
    assert list(kept) == [event for event in EVENTS if event["action"] == 1]
    assert list(kept[1:].filter(lambda event: event["time"] < 6)) == [EVENTS[4]]


def test_a_terminal_sees_how_far_a_filter_is(
    log: dw.Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("driftwise.core.base.waiting._PATIENCE", 0.0)
    monkeypatch.setattr("driftwise.core.base.waiting._PAUSE", 0.0)
    monkeypatch.setattr("driftwise.core.base.waiting.is_watched", lambda: True)
    assert len(log.filter(lambda event: event["action"] == 1)) == 3
    assert re.findall(r"Filtering \[[#.]+\] ([0-9]+)%", capsys.readouterr().err)[-1] == "100"


def test_a_part_can_be_written(log: dw.Log, tmp_path: Path) -> None:
    for ending in ("jsonl", "parquet"):
        again = dw.Log.read(log[3:8].write(tmp_path / f"part.{ending}"))
        assert list(again) == EVENTS[3:8]


def test_what_cannot_be_asked_for(log: dw.Log, tmp_path: Path) -> None:
    with pytest.raises(IndexError):
        log[10]
    with pytest.raises(ValueError, match="step must be at least 1"):
        log[::-1]
    with pytest.raises(ValueError, match=r"path must end in \.jsonl or \.parquet"):
        log.write(tmp_path / "log.csv")
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
        log.write(tmp_path / "none" / "log.jsonl")


def test_rewards_that_come_by_themselves_find_their_decisions(tmp_path: Path) -> None:
    rows = [
        {"event_id": "a", "time": 1.0, "action": 0},
        {"event_id": "b", "time": 2.0, "action": 1},
        {"event_id": "b", "reward": 0.5, "time": 3.0},
        {"event_id": "c", "time": 4.0, "action": 0, "reward": 9.0},
        {"event_id": "a", "reward": 1.5, "reward_time": 5.0},
        {"event_id": "a", "reward": 7.0, "reward_time": 6.0},
        {"event_id": "c", "reward": 7.0},
        {"event_id": "z", "reward": 7.0},
        {"event_id": "d", "time": 8.0, "action": 0},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for log in (dw.Log.read(path), dw.Log(rows)):
        assert [event.get("reward") for event in log] == [1.5, 0.5, 9.0, None]
        assert [event.get("reward_time") for event in log] == [5.0, 3.0, None, None]
        assert log.strays.select("event_id", "kind").rows() == [
            ("a", "again"),
            ("c", "again"),
            ("z", "unknown"),
        ]
        assert list(dw.Log.read(log.write(tmp_path / "whole.parquet"))) == list(log)


def test_what_a_log_has_no_use_for_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"action": 0, "colour": "blue", "pscore": 0.5}')
    assert dw.Log.read(path).unread == ["colour"]


def test_without_polars_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"logs need polars: pip install 'driftwise"):
        dw.Log([{"action": 0}])


def test_a_decision_of_an_agent_fits(tmp_path: Path) -> None:
    """What `Decision.as_dict` tells goes into a log and comes back as the same decision."""
    agent = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True)
    decision = agent.choose()
    told = decision.as_dict()
    event = {
        "decision_set": [[1.0, 0.0], [0.0, 1.0]],
        "action": decision.arm,
        "propensity": decision.propensity,
        **{name: told[name] for name in ("policy", "luck", "choice")},
    }
    for ending in ("jsonl", "parquet"):
        (back,) = dw.Log.read(dw.Log([event]).write(tmp_path / f"log.{ending}"))
        row = back["decision_set"][back["action"]]
        assert dw.Decision.from_dict(back | {"action": row}).as_dict() == told


@pytest.mark.parametrize("given", ["log.jsonl", Path("log.jsonl")])
def test_a_path_is_no_log(given: Any) -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True)
    takers: list[Any] = [dw.Log, agent.warmed, agent.replayed, dw.evaluation.forgetting]
    for take in takers:
        with pytest.raises(TypeError, match=r"read by dw\.Log\.read"):
            take(given)
