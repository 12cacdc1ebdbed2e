"""All that a run has led to, before it becomes files: the report and the outcome read it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from .analysis import Analysis, analyse
from .experiment import Experiment, Paper
from .verdicts import Verdict, judge

__all__ = ["Findings", "Order", "find"]


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    replications: int
    seed: int
    quick: bool
    command: str


@dataclass(frozen=True)
class Findings:
    """The numbers of a run and what follows from them."""

    paper: Paper
    order: Order
    numbers: pl.DataFrame
    analyses: dict[str, Analysis]  # by figure; a figure without a result has none
    verdicts: tuple[Verdict, ...]
    is_interrupted: bool

    @property
    def finished(self) -> dict[str, dict[int, int]]:
        """How many replications each horizon of each figure has, zeros included."""
        return {
            experiment.name: _finished(experiment, self.analyses.get(experiment.name))
            for experiment in self.paper.experiments
        }


def find(paper: Paper, order: Order, numbers: pl.DataFrame, *, is_interrupted: bool) -> Findings:
    """Analyse and judge whatever numbers there are."""
    analyses = {
        experiment.name: analyse(numbers, experiment.name, experiment.policies, order.seed)
        for experiment in paper.experiments
        if experiment.name in numbers["figure"]
    }
    verdicts = [
        verdict
        for experiment in paper.experiments
        for verdict in judge(experiment, analyses.get(experiment.name))
    ]
    return Findings(paper, order, numbers, analyses, tuple(verdicts), is_interrupted)


def _finished(experiment: Experiment, analysis: Analysis | None) -> dict[int, int]:
    counts = dict.fromkeys(experiment.horizons, 0)
    if analysis is not None:
        counts |= dict(zip(analysis.horizons, analysis.replications, strict=True))
    return counts
