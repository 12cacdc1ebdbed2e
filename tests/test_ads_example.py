"""The example of ads runs end to end, and what was learnt from a log is worth something."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import driftwise as dw

EXAMPLE = Path(__file__).parents[1] / "examples" / "ads.py"


def test_from_dictionaries_to_a_log_and_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(EXAMPLE))["main"](tmp_path)
    told = capsys.readouterr().out
    assert "The log of 6,000 events is sound." in told
    assert re.search(r"the last ads: (summer|autumn|classic|bargain), ", told)
    warmed, cold = map(float, re.findall(r"begin .*: (0\.\d+)", told))
    assert warmed > cold
    assert len(dw.Log.read(tmp_path / "ads.jsonl")) == 6000
