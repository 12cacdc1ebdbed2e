"""docs/evaluation-measured.md has what its command prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import evaluation

PAGE = evaluation.PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "part",
    [
        evaluation.estimators,
        evaluation.lateness,
        pytest.param(evaluation.gains, marks=pytest.mark.slow),
        pytest.param(evaluation.propensities, marks=pytest.mark.slow),
    ],
    ids=lambda each: each.__name__,
)
def test_a_part_is_as_measured_today(part: Callable[[], list[str]]) -> None:
    assert "\n".join(part()).strip() in PAGE


@pytest.mark.slow
@pytest.mark.parametrize(("world", "window"), [("rotating", 200), ("walk", 800)])
def test_a_row_of_the_longest_part_is_as_measured_today(world: str, window: int) -> None:
    """Two of sixteen, since all of them take minutes."""
    (row,) = evaluation.learner_rows(world, [window])
    assert f"| {' | '.join(row)} |" in PAGE.splitlines()
