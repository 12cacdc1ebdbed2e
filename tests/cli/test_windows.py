"""`driftwise windows` says what the theory does."""

from __future__ import annotations

from typing import Any

import pytest

import driftwise as dw
from driftwise.cli import run


def test_windows_are_those_of_the_theory(document: Any) -> None:
    found = document("windows", "--variation", "1")
    known, unknown, general, _ = found["sliding_window"]
    assert known["window"] == unknown["window"] == 1532
    assert known["radius"] == pytest.approx(1.594, abs=1e-4)
    assert known["regret_bound"] == dw.theory.regret_bound(
        horizon=30_000, dimension=2, variation=1.0, window=1532, noise=0.1
    )
    assert general["window"] == 205
    assert general["regret_bound"] is None, "there is no explicit bound without Assumption 1"
    blocks, _ = found["bandit_over_bandit"]
    assert (blocks["block_length"], blocks["n_blocks"]) == (274, 110)
    assert blocks["windows"] == [1, 2, 6, 16, 42, 107, 274]
    assert found["exp3s"][0]["mixing"] == pytest.approx(0.09979, abs=1e-5)


def test_windows_without_a_variation(document: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = document("windows")
    assert [row["variation"] for row in found["sliding_window"]] == [None, None]
    assert all(row["regret_bound"] is None for row in found["sliding_window"])
    names = [rate["name"] for rate in found["rates"]]
    assert "sliding-window-unknown" in names
    assert "lower-bound" not in names
    assert run(["windows"]) == 0
    assert "unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "name", "is_there"),
    [
        (["--variation", "0"], "sliding-window-stationary", True),
        (["--variation", "0"], "sliding-window", False),
        (["--variation", "1"], "sliding-window-stationary", False),
        (["--variation", "1"], "lower-bound", True),
        (["--variation", "0.001"], "lower-bound", False),
        (["--variation", "1", "--horizon", "3", "--dimension", "9"], "lower-bound", False),
    ],
)
def test_rates_apply_under_their_conditions(
    words: list[str], name: str, is_there: bool, document: Any
) -> None:
    names = [rate["name"] for rate in document("windows", *words)["rates"]]
    assert (name in names) == is_there


def test_a_bound_that_says_nothing_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["windows", "--horizon", "100", "--variation", "5"]) == 0
    assert "above 2T" in capsys.readouterr().out
