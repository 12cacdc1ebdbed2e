"""A bad row in the middle is named, with its field and rule, and nothing is half-done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import driftwise as dw
from driftwise.logs.fields import schema

GOOD: dict[str, Any] = {"time": 5.0, "actions": ["a", "b"], "action": 0, "propensity": 0.5}

BAD: list[tuple[dict[str, Any], str]] = [
    ({"propensity": 0.0}, "propensity must be in (0, 1], got 0.0"),
    ({"propensity": 1.25}, "propensity must be in (0, 1], got 1.25"),
    ({"propensity": "0.5"}, "propensity must be a number, got '0.5'"),
    ({"propensity": True}, "propensity must be a number, got True"),
    ({"propensities": [0.5]}, "actions and propensities must be equally many, got 2 actions and 1"),
    ({"propensities": [0.5, -0.5]}, "propensities[1] must be in [0, 1], got -0.5"),
    ({"propensities": [0.5, None]}, "propensities[1] must be a number, got None"),
    ({"propensities": 0.5}, "propensities must be a list of numbers, got 0.5"),
    ({"propensities": [0.0, 1.0], "propensity": None}, "propensity must be in (0, 1], got 0.0"),
    ({"action": 2}, "action must be below 2, the number of actions, got 2"),
    ({"action": -1}, "action must be at least 0, got -1"),
    ({"action": "c"}, "action must be one of ['a', 'b'], got 'c'"),
    ({"action": 1.5}, "action must be an integer, got 1.5"),
    ({"action": None}, "action must be given"),
    ({"action": None, "event_id": "x", "reward": 1.0}, "action must be given with actions"),
    ({"actions": [{}, {}], "action": "a"}, "action must be an integer where actions have no names"),
    ({"actions": []}, "actions must be a list of objects, a list of names"),
    ({"actions": ["a", "a"]}, "actions must have different names"),
    ({"actions": [1, 2]}, "actions must be a list of objects, a list of names"),
    ({"actions": None, "decision_set": [[1.0], [2.0, 3.0]]}, "decision_set must be an array"),
    ({"actions": None, "decision_set": [[1.0], ["x"]]}, "decision_set must be an array of numbers"),
    ({"actions": None, "decision_set": [[1.0]], "action": 1}, "action must be below 1"),
    (
        {"actions": None, "decision_set": [[1e31]]},
        "decision_set must not exceed 1e+30 in magnitude",
    ),
    ({"time": 3.0}, "time must not go back, got 3.0 after 4.0"),
    ({"time": "noon"}, "time must be a number or an ISO 8601 timestamp, got 'noon'"),
    ({"reward": "1"}, "reward must be a number, got '1'"),
    ({"reward": 1e300}, "reward must not exceed 1e+100 in magnitude"),
    ({"reward_time": 4.5}, "reward_time must be at least time, 5.0, got 4.5"),
    ({"context": [1]}, "context must be an object, got [1]"),
    ({"choice": "x"}, "choice must be an object, got 'x'"),
    ({"luck": -1}, "luck must be at least 0, got -1"),
    ({"luck": 2**63}, "luck must be below 2**63"),
    ({"actions": None, "decision_set": [[], []]}, "decision_set must not be empty"),
    ({"event_id": 1.5}, "event_id must be a string or an integer, got 1.5"),
    ({"event_id": True}, "event_id must be a string or an integer, got True"),
    ({"event_id": [1]}, "event_id must be a string or an integer, got [1]"),
    ({"event_id": {"a": 1}}, "event_id must be a string or an integer, got {'a': 1}"),
    ({"event_id": "\ud800"}, "event_id must be fit for UTF-8, got '\\ud800'"),
    ({"policy": 3}, "policy must be a string, got 3"),
    ({"policy": True}, "policy must be a string, got True"),
    ({"policy": ["a"]}, "policy must be a string, got ['a']"),
    ({"forgotten": "a"}, "forgotten must be a list of names, or an object"),
    ({"forgotten": ["a", 1]}, "forgotten must be a list of names, or an object"),
    ({"forgotten": {"a": -1}}, "forgotten must be a list of names, or an object"),
    ({"forgotten": {"a": True}}, "forgotten must be a list of names, or an object"),
]
ids = [f"{next(iter(change))}-{number}" for number, (change, _) in enumerate(BAD)]


def rows_with(change: dict[str, Any]) -> list[dict[str, Any]]:
    row = {name: value for name, value in (GOOD | change).items() if value is not None}
    return [GOOD | {"time": 4.0}, row, GOOD | {"time": 9.0}]


@pytest.mark.parametrize(("change", "sentence"), BAD, ids=ids)
def test_in_memory(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the sentence is looked at below
        dw.Log(rows_with(change))
    assert str(error.value).startswith(f"event 1: {sentence}")


@pytest.mark.parametrize(("change", "sentence"), BAD, ids=ids)
def test_in_json_lines(change: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\n\n".join(map(json.dumps, rows_with(change))))
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the sentence is looked at below
        dw.Log.read(path)
    # The blank lines between events count, as in an editor.
    assert str(error.value).startswith(f"{path}, line 3: {sentence}")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"propensity": 0.0}, "propensity must be in (0, 1], got 0.0"),
        ({"action": 2}, "action must be below 2, the number of actions, got 2"),
        ({"time": 3.0}, "time must not go back, got 3.0 after 4.0"),
        ({"reward_time": 4.5}, "reward_time must be at least time, 5.0, got 4.5"),
        ({"propensities": [0.5]}, "actions and propensities must be equally many"),
        ({"context": "{oops"}, "context must be JSON, got '{oops'"),
        ({"context": "[1]"}, "context must be an object, got [1]"),
        ({"actions": "[3]"}, "actions must be a list of objects"),
    ],
    ids=lambda part: next(iter(part)) if isinstance(part, dict) else "",
)
def test_in_parquet(change: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    texts = {"actions": '["a", "b"]'}
    pl.DataFrame(
        [GOOD | texts | {"time": 4.0}, GOOD | texts | change, GOOD | texts | {"time": 9.0}],
        schema={name: schema()[name] for name in {**GOOD, **change}},
    ).write_parquet(path)
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the sentence is looked at below
        dw.Log.read(path)
    assert str(error.value).startswith(f"{path}, row 2: {sentence}")


def test_text_where_a_number_belongs_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pl.DataFrame({"action": [0, 1], "reward": ["1", "0"]}).write_parquet(path)
    with pytest.raises(ValueError, match="row 1: reward must be a number, got '1'"):
        dw.Log.read(path)


DEEP = '{"action":0,"context":' + 100_000 * '{"a":' + "1" + 100_001 * "}"


@pytest.mark.parametrize(
    "text", ["{", "[1]", "5", '{"action": NaN}', "nonsense", DEEP], ids=lambda text: text[:8]
)
def test_a_line_that_is_no_object(text: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{text}\n{json.dumps(GOOD)}\n")
    with pytest.raises(ValueError, match=r"log.jsonl, line 2: "):
        dw.Log.read(path)


def test_times_go_back_between_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftwise.logs.json_lines._BLOCK", 100)
    path = tmp_path / "log.jsonl"
    times = [*range(50), 48, *range(50, 60)]
    path.write_text("\n".join(json.dumps(GOOD | {"time": time}) for time in times))
    with pytest.raises(ValueError, match=r"line 51: time must not go back, got 48\.0 after 49"):
        dw.Log.read(path)


def test_an_unknown_field_in_memory_is_named() -> None:
    with pytest.raises(ValueError, match=r"event 0: field must be one of .* mean 'propensity'"):
        dw.Log([{"action": 0, "propensty": 0.5}])


def test_a_nan_in_a_context_is_named() -> None:
    with pytest.raises(ValueError, match="event 0: context must be fit for JSON"):
        dw.Log([{"action": 0, "context": {"x": float("nan")}}])


def test_nothing_is_written_of_a_log_that_turned_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("driftwise.logs.sources._SMALL", 0)
    source, target = tmp_path / "log.jsonl", tmp_path / "copy.parquet"
    target.write_text("what was there before")
    source.write_text("\n".join(json.dumps(GOOD) for _ in range(5)))
    log = dw.Log.read(source)
    source.write_text("\n".join([*(json.dumps(GOOD) for _ in range(4)), '{"action": 7}', "{"]))
    with pytest.raises(ValueError, match="line 6"):
        log.write(target)
    assert target.read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.parquet", "log.jsonl"]


def test_a_small_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps({"action": k}) for k in range(4)))
    log = dw.Log.read(path)
    path.unlink()
    assert [event["action"] for event in log] == [0, 1, 2, 3]
    assert [event["action"] for event in log[1:3]] == [1, 2]


def test_a_file_that_grows_is_read_as_far_as_it_was_and_one_that_shrinks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("driftwise.logs.sources._SMALL", 0)
    path = tmp_path / "log.jsonl"
    lines = [json.dumps({"action": k}) for k in range(6)]
    path.write_text("\n".join(lines[:4]))
    log = dw.Log.read(path)
    path.write_text("\n".join(lines))
    assert [event["action"] for event in log] == [0, 1, 2, 3]
    path.write_text("\n".join(lines[:2]))
    with pytest.raises(
        ValueError, match="a log must stay as it was read, got 2 events instead of 4"
    ):
        list(log)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("log.txt", "", "path must end in one of .jsonl"),
        ("log.jsonl", "", "must have at least one event, got none"),
        ("log.csv", "", "must begin with the names of its columns"),
        ("log.csv", "a,b\n1,2\n", "columns must say which column is the action"),
        ("log.parquet", "no", "must be a Parquet file that can be read"),
    ],
)
def test_files_that_are_no_logs(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        dw.Log.read(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="path must be a file that exists"):
        dw.Log.read(tmp_path / "log.jsonl")
