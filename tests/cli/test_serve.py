"""`driftwise serve`, as far as it ends by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwise.cli.app import app

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"


def test_several_files_are_told_as_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.toml"
    other.write_text('name = "other"\narms = ["a", "b"]\n')
    command = ["serve", str(EXAMPLE), str(other), "--check", "--json"]
    app(command, standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert [each["problem"] for each in told["problems"]] == ["prices", "other"]
