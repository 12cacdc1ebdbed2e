"""`driftwise reproduce`, and Ctrl-C."""

from __future__ import annotations

import importlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from driftwise.cli import run
from driftwise.experiments.analysis import replications

QUICK = ["reproduce", "--quick", "--jobs", "1", "--seed", "3"]


class Stub:
    """What `reproduce` returns, as far as the command line looks at it."""

    def __init__(self, is_interrupted: bool) -> None:
        self.is_interrupted = is_interrupted

    def as_text(self) -> str:
        return "1. A claim: HOLDS\n   Measured: " + "word " * 40

    def as_dict(self) -> dict[str, Any]:
        return {"interrupted": self.is_interrupted}


@pytest.mark.parametrize(("is_interrupted", "code"), [(False, 0), (True, 130)])
def test_reproduce_hands_over_and_prints(
    shell: Any,
    is_interrupted: bool,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[dict[str, Any]] = []

    def reproduce(**options: Any) -> Stub:
        asked.append(options)
        return Stub(is_interrupted)

    module = importlib.import_module("driftwise.experiments.reproduce")
    monkeypatch.setattr(module, "reproduce", reproduce)
    monkeypatch.setenv("COLUMNS", "60")
    options = ["--replications", "7", "--jobs", "2", "--seed", "9", "--out", "there", "--quiet"]
    assert run(["reproduce", *options, "--quick"]) == code
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[2].startswith("   word"), "wrapped lines keep their indent"
    assert run(["reproduce", "--json"]) == code
    assert shell.read_json(capsys.readouterr().out) == {"interrupted": is_interrupted}
    assert asked[0] == {
        "replications": 7,
        "jobs": 2,
        "seed": 9,
        "out": Path("there"),
        "quick": True,
        "quiet": True,
    }
    assert asked[1]["replications"] is None
    assert asked[1]["out"] == Path("results")


@pytest.mark.slow
def test_reproduce_in_a_process_of_its_own(shell: Any, tmp_path: Path) -> None:
    answer = shell.call(*QUICK, "--replications", "1", "--out", str(tmp_path / "new"), "--json")
    assert answer.code == 0, answer.err
    document = shell.read_json(answer.out)
    assert [(each["replications"], each["seed"]) for each in document["experiments"]] == [
        (1, 3)
    ] * 2
    assert not document["interrupted"]
    assert all(Path(path).is_file() for path in document["files"].values())
    assert "100% done" in answer.err, "progress goes to standard error"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process only")
def test_ctrl_c_leaves_what_is_finished(shell: Any, tmp_path: Path) -> None:
    words = [*QUICK, "--replications", "100", "--out", str(tmp_path), "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "driftwise", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=shell.environment(),
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.search(r"\d% done", line):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    assert process.returncode == 130
    assert "Traceback" not in err
    document = shell.read_json(out)
    assert document["interrupted"]
    assert any(each["missing"] for each in document["experiments"])
    kept = [pl.read_parquet(path) for path in tmp_path.glob("*/results.parquet")]
    assert sum(frame.height for frame in kept) > 0
    assert (tmp_path / "report.html").read_text("utf-8").rstrip().endswith("</html>")


def test_ctrl_c_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(replications, "replicate", interrupt)
    assert run(["simulate"]) == 130
    assert capsys.readouterr().out == ""
