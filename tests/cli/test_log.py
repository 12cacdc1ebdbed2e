"""`driftwise log`: check and convert."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import driftwise as dw
from driftwise.cli import run
from tests.logs.events import epsilon_greedy


@pytest.fixture
def sound(tmp_path: Path) -> str:
    return str(dw.Log(epsilon_greedy(1)).write(tmp_path / "sound.jsonl"))


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    return str(dw.Log(epsilon_greedy(1, wrong=0.05)).write(tmp_path / "wrong.parquet"))


def test_check_says_what_log_soundness_says(
    sound: str, document: Callable[..., Any], text: Callable[..., str]
) -> None:
    told = dw.Log.read(sound).soundness(wait=30.0)
    assert document("log", "check", sound, "--wait", "30") == told.as_dict()
    assert text("log", "check", sound, "--wait", "30") == " ".join(told.as_text().split())


def test_an_error_in_the_log_is_an_exit_code_of_one(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["log", "check", wrong]) == 1
    told = capsys.readouterr().out
    assert "error: " in told
    assert "What to do: " in told
    assert run(["log", "check", wrong, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["is_sound"] is False


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_convert(sound: str, ending: str, tmp_path: Path, document: Callable[..., Any]) -> None:
    target = tmp_path / f"copy.{ending}"
    told = document("log", "convert", sound, str(target))
    assert told == {"events": 3000, "target": str(target)}
    assert list(dw.Log.read(target)) == list(dw.Log.read(sound))


def test_csv(tmp_path: Path, text: Callable[..., str]) -> None:
    table, target = tmp_path / "log.csv", tmp_path / "log.jsonl"
    table.write_text("shown,clicked,p0,p1,hour\nred,1,0.25,0.75,17\nblue,0,0.25,0.75,18\n")
    words = ["--column", "action=shown", "--column", "reward=clicked", "--column"]
    words += ["propensities=p0,p1", "--context", "hour", "--actions", "blue,red"]
    assert text("log", "convert", str(table), str(target), *words).startswith("2 events written")
    others = [*words[:6], "--column", "context=hour", "--column", "actions=blue,red"]
    again = target.with_name("again.jsonl")
    text("log", "convert", str(table), str(again), *others)
    assert again.read_text() == target.read_text()
    assert dw.Log.read(target)[0] == {
        "context": {"hour": 17},
        "actions": ["blue", "red"],
        "action": 1,
        "propensity": 0.75,
        "propensities": [0.25, 0.75],
        "reward": 1.0,
    }


def test_bad_input(sound: str, tmp_path: Path, refusal: Callable[..., str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"action": 0}\n{"action": 0, "propensity": 0}\n')
    target = str(tmp_path / "copy.jsonl")
    for words, sentence in [
        (["check", str(bad)], "bad.jsonl, line 2: propensity must be in (0, 1], got 0.0"),
        (["convert", str(bad), target], "bad.jsonl, line 2: propensity must be in (0, 1], got 0.0"),
        (["convert", sound, str(tmp_path / "a.txt")], "target must end in .jsonl or .parquet"),
        (["convert", sound, str(tmp_path / "no" / "a.jsonl")], "target must lie in a folder"),
        (["check", str(tmp_path / "none.jsonl")], "path must be a file that exists"),
        (["check", sound, "--form", "xml"], "form must be one of csv, dsjson, jsonl, parquet"),
        (["check", sound, "--wait", "-1"], "wait must be at least 0, got -1"),
        (["check", sound, "--column", "reward"], "column must be FIELD=COLUMN, got 'reward'"),
        (["check", sound, "--column", "rewrd=x"], "did you mean 'reward'?"),
        (
            ["check", sound, "--context", "hour"],
            "columns must be left out unless the file is a CSV",
        ),
        (["chek"], "did you mean 'check'?"),
    ]:
        assert sentence in refusal("log", *words)
    assert not Path(target).exists()
