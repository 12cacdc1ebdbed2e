"""What is kept of a scoreboard that was played."""

from __future__ import annotations

import shlex

from ...scores.record import BoardRecord
from ..analysis.findings import Findings

__all__ = ["board_record"]


def board_record(findings: Findings) -> BoardRecord:
    """Return what is kept of a run that is complete."""
    experiment = findings.experiment
    if not findings.is_complete:
        raise ValueError(f"{experiment.name} must be complete to be published, got a part of it")
    board = findings.scoreboard
    words = ["driftwise", "run", "scoreboard"]
    words += ["--fuzz", str(board.fuzz)] if board.fuzz is not None else []
    words += ["--quick"] * experiment.is_quick
    words += ["--replications", str(experiment.replications), "--seed", str(experiment.seed)]
    numbers = experiment.seed, experiment.replications, experiment.is_quick
    return BoardRecord(experiment.name, shlex.join(words), *numbers, board)
