"""Every form of a log comes back as it was."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import driftwise as dw
from driftwise.logs import json_lines
from driftwise.logs.fields import JSON_FIELDS
from driftwise.logs.frames import Clock, checked_frames
from tests.logs.events import Event, logs


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


any_log = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@any_log
@given(events=logs())
def test_what_is_written_is_read(folder: Path, ending: str, events: list[Event]) -> None:
    log = dw.Log(events)
    assert len(log) == len(events)
    assert list(log) == events
    again = dw.Log.read(log.write(folder / f"log.{ending}"))
    assert len(again) == len(events)
    assert list(again) == events


@any_log
@given(events=logs())
def test_a_file_of_anybodys_json_is_read_as_it_stands(folder: Path, events: list[Event]) -> None:
    path = folder / "log.jsonl"
    for ensure_ascii in (True, False):  # with escapes, and without most of them
        path.write_text(
            "\n".join(json.dumps(event, ensure_ascii=ensure_ascii) for event in events), "utf-8"
        )
        assert list(dw.Log.read(path)) == events


@any_log
@given(events=logs())
def test_columns_say_what_lines_say(folder: Path, events: list[Event]) -> None:
    """What is read by columns, for speed, is what is read line by line."""
    path = folder / "log.jsonl"
    path.write_text("\n".join(json.dumps(event, ensure_ascii=False) for event in events), "utf-8")
    source = json_lines.JsonLines(path)
    by_columns = source._by_columns(path.read_bytes(), Clock())
    if by_columns is None:  # escapes, or numbers that only Python reads
        return
    (by_lines,) = checked_frames(source._rows(path.read_bytes(), 1), Clock())
    for name in JSON_FIELDS:
        pair = [
            [None if text is None else json.loads(text) for text in frame[name]]
            for frame in (by_columns, by_lines)
        ]
        assert pair[0] == pair[1]
    rest = [name for name in by_lines.columns if name not in JSON_FIELDS]
    assert by_columns.select(rest).equals(by_lines.select(rest))


def test_plain_events_are_read_by_columns(tmp_path: Path) -> None:
    """Otherwise a long log takes minutes."""
    path = tmp_path / "log.jsonl"
    rows: list[Event] = [
        {"event_id": 1, "time": 1, "action": 0, "actions": [{"x": 1.0}], "propensity": 1},
        {"event_id": 1, "reward": 3.5, "time": 7},
    ]
    named: list[Event] = [
        {"Timestamp": "2017-10-24T15:28:50.1649183Z", "actions": ["ü", "r"], "action": "r"},
        {"Timestamp": "2017-10-24T15:28:51Z", "actions": {"r": {}, "b": {}}, "action": "r"},
    ]
    words: list[Event] = [{"action": 0, "context": {"Zürich": "Łódź 😀 東京"}}]
    ids: list[Event] = [{"event_id": f"3ec{n:029x}", "action": 0} for n in range(200)]
    for some in (rows, named, words, ids):
        path.write_text("\n".join(map(json.dumps, some)))
        assert json_lines.JsonLines(path)._by_columns(path.read_bytes(), Clock()) is not None


@pytest.mark.parametrize(
    "text", ["é", "\u2028", "\x7f\x80", "\ud800", "😀", "\\u00e9", '"é', "\udc00é"]
)
def test_escapes_stand_for_what_they_say(text: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"action": 0, "context": {text: text}}))
    assert list(dw.Log.read(path)) == [{"action": 0, "context": {text: text}}]


def test_names_that_others_use_are_understood(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "log.jsonl"
    rows: list[dict[str, Any]] = [
        {"EventId": "a", "Timestamp": "1970-01-01T00:00:01Z", "_labelIndex": 1, "pscore": 0.5},
        {"EventId": "b", "Timestamp": "1970-01-01T00:00:02Z", "action": 0, "probability": 0.25},
        {"action": 0, "propensity_score": 0.125, "_label_cost": -2.0},
        {"action": 0, "_label_probability": 0.75, "_label_cost": 0.0},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    understood: list[Event] = [
        {"event_id": "a", "time": 1.0, "action": 1, "propensity": 0.5},
        {"event_id": "b", "time": 2.0, "action": 0, "propensity": 0.25},
        {"action": 0, "propensity": 0.125, "reward": 2.0},
        {"action": 0, "propensity": 0.75, "reward": 0.0},
    ]
    assert list(dw.Log.read(path)) == understood
    for row, event in zip(rows, understood, strict=True):
        for ending in ("parquet", "csv"):
            table = tmp_path / f"log.{ending}"
            getattr(pl.DataFrame([row]), f"write_{ending}")(table)
            assert list(dw.Log.read(table)) == [event]


def test_dates_in_parquet_and_in_memory_become_seconds(tmp_path: Path) -> None:
    import polars as pl

    moments = [datetime(1970, 1, 2), datetime(1970, 1, 3, 0, 0, 0, 500_000)]
    seconds = [{"time": 86400.0, "action": 0}, {"time": 172800.5, "action": 1}]
    path = tmp_path / "log.parquet"
    frame = pl.DataFrame({"time": moments, "action": [0, 1]})
    for unit in ("ms", "us", "ns"):
        frame.with_columns(pl.col("time").cast(pl.Datetime(unit))).write_parquet(path)
        assert list(dw.Log.read(path)) == seconds
    zoned = pl.col("time").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
    frame.with_columns(zoned).write_parquet(path)
    assert list(dw.Log.read(path)) == seconds
    frame.with_columns(pl.col("time").dt.date()).write_parquet(path)
    assert [event["time"] for event in dw.Log.read(path)] == [86400.0, 172800.0]
    events = [{"time": moment, "action": k} for k, moment in enumerate(moments)]
    assert list(dw.Log(events)) == seconds


def test_a_chosen_name_becomes_its_place() -> None:
    actions: list[Any] = [["blue", "red"], {"blue": {"price": 1}, "red": {}}]
    assert [
        event["action"]
        for event in dw.Log([{"actions": each, "action": "red"} for each in actions])
    ] == [1, 1]


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    log = dw.Log([{"action": 0, "context": {"a": "\ud800"}}])
    for ending in ("jsonl", "parquet"):
        assert list(dw.Log.read(log.write(tmp_path / f"log.{ending}"))) == list(log)


def test_parquet_with_structs_is_read(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "log.parquet"
    frame = pl.DataFrame(
        {
            "context": [{"hour": 3}],
            "actions": [[{"price": 1.5}, {"price": 2.5}]],
            "action": pl.Series([1], dtype=pl.UInt8),
            "reward": pl.Series([1.0], dtype=pl.Float32),
            "shop": ["north"],
        }
    )
    frame.write_parquet(path)
    log = dw.Log.read(path)
    assert list(log) == [
        {
            "context": {"hour": 3},
            "actions": [{"price": 1.5}, {"price": 2.5}],
            "action": 1,
            "reward": 1.0,
        }
    ]
    assert log.unread == ["shop"]
