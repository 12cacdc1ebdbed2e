"""docs/bikes-measured.md names its command, and has the true values that the data give."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import bikes

PAGE = bikes.PAGE.read_text("utf-8")


def test_the_page_names_its_command() -> None:
    (command,) = re.findall(r"`python -m (\S+)`", PAGE)
    assert command == bikes.__name__


def test_true_values_are_those_of_the_data() -> None:
    if importlib.util.find_spec("ISLP") is None:
        pytest.skip("ISLP is not installed, of which the data are: make data")
    rows, rewards, _ = bikes.EXAMPLE["problem"](bikes.EXAMPLE["data_file"]())
    found = " | ".join(f"{each:.4f}" for each in bikes.true_values(rows, rewards))
    assert f"| the real rewards | {found} |" in PAGE.splitlines()
