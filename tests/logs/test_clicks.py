"""Rewards of a log may be True and False, as the clicks of an agent may."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import driftwise as dw

CLICKS = [True, False, True]


def test_clicks_in_memory() -> None:
    events = [{"action": 0, "reward": click} for click in (True, np.False_, np.True_)]
    assert [event["reward"] for event in dw.Log(events)] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv"])
def test_clicks_in_a_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"clicks.{ending}"
    table = pl.DataFrame({"action": [0, 1, 1], "reward": CLICKS})
    if ending == "parquet":
        table.write_parquet(path)
    elif ending == "csv":
        path.write_text("action,reward\n0,True\n1,false\n1,true\n", "utf-8")
    else:
        path.write_text("\n".join(json.dumps(row) for row in table.iter_rows(named=True)), "utf-8")
    assert [event["reward"] for event in dw.Log.read(path)] == [1.0, 0.0, 1.0]


def test_other_words_are_no_clicks(tmp_path: Path) -> None:
    path = tmp_path / "clicks.csv"
    path.write_text("action,reward\n0,yes\n", "utf-8")
    with pytest.raises(ValueError, match="line 2: reward must be a number, got 'yes'"):
        dw.Log.read(path)
