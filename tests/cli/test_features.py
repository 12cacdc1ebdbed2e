"""`driftwise features suggest`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftwise.cli import run
from driftwise.features import Encoder, Number, suggest


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f'{{"context": {{"x": {i}}}, "actions": []}}\n' for i in range(9)))
    return path


def test_it_prints_what_the_library_proposes(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["features", "suggest", str(log), "--first", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed == suggest(log, first=5)
    assert Encoder.from_toml(printed).declaration.fields["context.x"] == Number(0, 4)


def test_as_json(log: Path, document: Any) -> None:
    found = document("features", "suggest", str(log))
    assert found["context"]["x"] == {"kind": "number", "low": 0.0, "high": 8.0}


def test_without_a_command_it_lists_them(text: Any) -> None:
    assert "suggest Propose a declaration" in text("features")


def test_bad_input(log: Path, refusal: Any) -> None:
    assert "did you mean 'suggest'?" in refusal("features", "sugest", str(log))
    assert "must be a file that exists, got none.jsonl" in refusal(
        "features", "suggest", "none.jsonl"
    )
    assert "first must be at least 1 event" in refusal(
        "features", "suggest", str(log), "--first", "0"
    )
    assert "did you mean '--first'?" in refusal("features", "suggest", str(log), "--frst", "3")
