"""docs/evaluation-measured.md has what its command prints, as far as that takes seconds."""

from __future__ import annotations

import sys
from pathlib import Path

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import evaluation

PAGE = Path(__file__).parents[1] / "docs" / "evaluation-measured.md"


def test_late_rewards_are_as_measured_today() -> None:
    assert "\n".join(evaluation.lateness()).strip() in PAGE.read_text("utf-8")
