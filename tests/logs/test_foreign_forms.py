"""Logs that others wrote: arrays of OBP, dsjson of Vowpal Wabbit, CSV of anybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw

# A line as Azure Personalizer writes it.
LINE: dict[str, Any] = {
    "_label_cost": -1.0,
    "_label_probability": 0.8,
    "_label_Action": 2,
    "_labelIndex": 1,
    "o": [{"v": 1.0, "EventId": "f5e7"}],
    "Timestamp": "2019-11-12T14:22:37.2290000Z",
    "Version": "1",
    "EventId": "f5e7",
    "a": [2, 1],
    "c": {
        "GUser": {"id": "rnc", "major": "engineering"},
        "_multi": [{"TAction": {"topic": "HerbGarden"}}, {"TAction": {"topic": "Learning"}}],
    },
    "p": [0.8, 0.2],
    "VWState": {"m": "N/A"},
}
EVENT = {
    "event_id": "f5e7",
    "time": 1573568557.229,
    "context": {"GUser": {"id": "rnc", "major": "engineering"}},
    "actions": [{"TAction": {"topic": "HerbGarden"}}, {"TAction": {"topic": "Learning"}}],
    "action": 1,
    "propensity": 0.8,
    "propensities": [0.2, 0.8],
    "reward": 1.0,
}


@pytest.mark.parametrize("name", ["log.dsjson", "log.json"])
def test_dsjson(tmp_path: Path, name: str) -> None:
    dangling = {"RewardValue": 1.0, "EventId": "gone", "EnqueuedTimeUtc": "2019-11-12T15:00:00Z"}
    by_number = {name: value for name, value in LINE.items() if name != "_labelIndex"}
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, [LINE, dangling, by_number])))
    log = dw.Log.read(path)
    assert list(log) == [EVENT, EVENT]
    assert log.strays["event_id"].to_list() == ["gone"]
    assert list(dw.Log.read(log.write(tmp_path / "log.parquet"))) == [EVENT, EVENT]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"p": [0.8]}, "p must have one probability for each of 2 actions"),
        ({"a": [2, 2]}, "a must rank the actions 1 to 2"),
        ({"_labelIndex": 2}, "action must be below 2"),
        ({"_label_probability": 0.0}, "propensity must be in"),
        ({"_label_cost": "free"}, "reward must be a number, got 'free'"),
        ({"c": {}}, "c must be an object with _multi"),
        ({"c": 3}, "c must be an object with _multi"),
        ({"_outcomes": []}, "an event must have one action of a set, got _outcomes"),
    ],
)
def test_a_bad_line_of_dsjson_is_named(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    path = tmp_path / "log.dsjson"
    path.write_text("\n".join(map(json.dumps, [LINE, LINE | change, LINE])))
    with pytest.raises(ValueError, match=f"line 2: {sentence}"):
        dw.Log.read(path)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    n=st.integers(1, 12),
    n_actions=st.integers(1, 4),
    positions=st.integers(1, 2),
    has=st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    seed=st.integers(0, 1000),
)
def test_arrays_of_obp(
    n: int, n_actions: int, positions: int, has: tuple[bool, ...], seed: int
) -> None:
    random = np.random.default_rng(seed)
    policy = random.dirichlet(np.ones(n_actions), (n, positions)).swapaxes(1, 2)
    at = random.integers(positions, size=n)
    action = random.integers(n_actions, size=n)
    feedback = {
        "n_rounds": n,
        "n_actions": n_actions,
        "action": action,
        "position": at if has[3] else None,
        "reward": random.normal(size=n),
        "pscore": policy[np.arange(n), action, at if has[3] else 0],
        "context": random.normal(size=(n, 2)) if has[0] else None,
        "action_context": random.normal(size=(n_actions, 3)) if has[1] else None,
        "pi_b": policy if has[2] else None,
        "expected_reward": random.normal(size=(n, n_actions)),
    }
    log = dw.Log.from_obp(feedback)
    assert len(log) == n
    assert log.unread == ["expected_reward"]
    for t, event in enumerate(log):
        assert event["action"] == action[t]
        assert event["reward"] == feedback["reward"][t]
        assert event["propensity"] == feedback["pscore"][t]
        assert list(event["actions"]) == [str(k) for k in range(n_actions)]
        if has[0]:
            assert [event["context"][name] for name in ("x0", "x1")] == [*feedback["context"][t]]
        if has[1]:
            rows = [[*features.values()] for features in event["actions"].values()]
            assert rows == feedback["action_context"].tolist()
        if has[2]:
            assert event["propensities"] == policy[t, :, at[t] if has[3] else 0].tolist()
        if has[3] and len(set(at)) > 1:
            assert event["context"]["position"] == at[t]


def test_a_bad_row_of_arrays_is_named() -> None:
    with pytest.raises(TypeError, match="feedback must be a dictionary of arrays, got None"):
        dw.Log.from_obp(None)  # type: ignore[arg-type]  # that is the point
    feedback = {"n_actions": 2, "action": np.array([0, 1, 0]), "reward": np.ones(3)}
    with pytest.raises(ValueError, match=r"row 1 of feedback: propensity must be in \(0, 1\]"):
        dw.Log.from_obp(feedback | {"pscore": np.array([0.5, 0.0, 0.5])})
    with pytest.raises(ValueError, match="row 2 of feedback: action must be below 2"):
        dw.Log.from_obp(feedback | {"action": np.array([0, 1, 2])})
    with pytest.raises(ValueError, match="feedback must have an array reward"):
        dw.Log.from_obp({"action": np.array([0])})
    with pytest.raises(TypeError, match="action must be an array of n integers"):
        dw.Log.from_obp(feedback | {"action": np.array([0.5, 1, 2])})


TABLE = """\
ts,shown,clicked,p,hour,plan,zip,price_blue,price_red
1970-01-01T00:00:10Z,red,1,0.25,17.5,pro,007,9.9,11
1970-01-01T00:00:20Z,blue,,0.75,18,"a ""b"", c",123,8.5,
"""
COLUMNS = {
    "time": "ts",
    "action": "shown",
    "reward": "clicked",
    "propensity": "p",
    "context": ["hour", "plan", "zip"],
    "actions": {"blue": {"price": "price_blue"}, "red": {"price": "price_red"}},
}


def test_csv_with_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(TABLE)
    log = dw.Log.read(path, columns=COLUMNS)
    assert list(log) == [
        {
            "time": 10.0,
            "context": {"hour": 17.5, "plan": "pro", "zip": "007"},
            "actions": {"blue": {"price": 9.9}, "red": {"price": 11}},
            "action": 1,
            "propensity": 0.25,
            "reward": 1.0,
        },
        {
            "time": 20.0,
            "context": {"hour": 18, "plan": 'a "b", c', "zip": 123},
            "actions": {"blue": {"price": 8.5}, "red": {"price": None}},
            "action": 0,
            "propensity": 0.75,
        },
    ]
    few = dw.Log.read(path, columns=COLUMNS | {"actions": ["blue", "red"]})
    assert few[0]["actions"] == ["blue", "red"]
    assert few.unread == ["price_blue", "price_red"]


def test_an_empty_cell_is_a_word_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("shown,clicked,plan\nred,1,pro\nblue,1,\n")
    names = ["blue", "red"]
    columns = {"action": "shown", "reward": "clicked", "context": ["plan"], "actions": names}
    encoder = dw.features.Encoder.from_toml(
        '[context.plan]\nkind = "category"\nvalues = ["pro"]\nalone = false\n'
        '[per_action]\nterms = ["context.plan"]\nnames = ["blue", "red"]\n'
    )
    agent = dw.Agent(dw.LinUCB(noise=0.1), encoder=encoder, is_interpreted=True)
    estimate = agent.warmed(dw.Log.read(path, columns=columns)).estimate
    learnt = [encoder.names[i] for i in np.flatnonzero(estimate)]
    assert learnt == ["place 0: context.plan=?", "place 1: context.plan=pro"]


def test_flags_and_a_column_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"  # as pandas writes it, with its index
    path.write_text(",action,member,first\n0,1,True,false\n1,0,False,true\n")
    log = dw.Log.read(path, columns={"context": ["member", "first"]})
    contexts = [{"member": True, "first": False}, {"member": False, "first": True}]
    assert [event["context"] for event in log] == contexts
    assert log.unread == [""]
    assert "Not read: a column without a name." in str(log.soundness())


def test_a_column_that_is_there_twice_and_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("action,reward,x,reward,x\n0,1,2,3,4\n")
    with pytest.raises(ValueError, match=r"log\.csv must have one column 'reward', got 2"):
        dw.Log.read(path)
    for text in ("action,café\n0,1\n", "action,city\n0,Köln\n"):
        path.write_text(text, "latin-1")
        with pytest.raises(ValueError, match=r"log\.csv must be UTF-8 text"):
            dw.Log.read(path)


def test_csv_with_our_names_needs_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("event_id,action,reward,p0,p1,x,y\n7,1,0.5,0.25,0.75,1,2\n")
    columns = {"propensities": ["p0", "p1"], "decision_set": [["x"], ["y"]]}
    assert list(dw.Log.read(path, columns=columns)) == [
        {
            "event_id": "7",
            "decision_set": [[1.0], [2.0]],
            "action": 1,
            "propensity": 0.75,
            "propensities": [0.25, 0.75],
            "reward": 0.5,
        }
    ]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("x,1,0.5", "line 3: action must be one of"),
        ("blue,yes,0.5", "line 3: reward must be a number, got 'yes'"),
        ("blue,1,0", "line 3: propensity must be in"),
        ("blue,1", "line 3: must have 3 cells"),
        ("blue,1,1,1", "line 3: must have 3 cells"),
    ],
)
def test_a_bad_row_of_csv_is_named(tmp_path: Path, row: str, sentence: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"action,reward,propensity\nblue,1,0.5\n{row}\nred,0,1\n")
    with pytest.raises(ValueError, match=sentence):
        dw.Log.read(path, columns={"actions": ["blue", "red"]})


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"rewrd": "clicked"}, "columns must be one of .* did you mean 'reward'"),
        ({"action": "show"}, "columns must be one of .* did you mean 'shown'"),
        ({"reward": "clicked"}, "columns must say which column is the action, of .*'ts', 'shown'"),
        ({"action": "shown", "context": "hour"}, "context must be a list of columns, got 'hour'"),
        ({"action": "shown", "actions": "blue"}, "actions must be a list of names, got 'blue'"),
        ({"action": "shown"}, "where actions have no names: give them as actions, got 'red'"),
    ],
)
def test_a_bad_mapping_is_named(tmp_path: Path, columns: dict[str, str], sentence: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(TABLE)
    with pytest.raises((TypeError, ValueError), match=sentence):
        dw.Log.read(path, columns=columns)
