"""Names of figures: they become names of files, so they are short and safe anywhere."""

from __future__ import annotations

import itertools
import re

from ..spec.experiment import Experiment

__all__ = ["DRIFT", "GROWTH", "ONE_RUN", "OVER_TIME", "SCOREBOARD", "name_figure"]

OVER_TIME, GROWTH, DRIFT, ONE_RUN = "regret-over-time", "growth", "drift", "one-run"
SCOREBOARD = "scoreboard"


def name_figure(kind: str, experiment: Experiment, world: str) -> str:
    """Return the name of a figure; the world is part of it if there are several.

    Examples
    --------
    >>> from driftwise.experiments.spec.reading import parse_experiment
    >>> experiment = parse_experiment('''
    ... horizons = [10]
    ... worlds = [{name = "Sinusoid", label = "a sine"}, {name = "Switching", label = "a/sine"}]
    ... policies = [{name = "Uniform"}]
    ... ''', "mine")
    >>> name_figure("growth", experiment, "a sine"), name_figure("growth", experiment, "a/sine")
    ('growth-a-sine', 'growth-a-sine-2')
    """
    labels = [entry.label for entry in experiment.worlds]
    if len(labels) == 1:
        return kind
    names: list[str] = []
    for label in labels:
        variants = itertools.chain([""], (f"-{i}" for i in itertools.count(2)))
        names.append(
            next(_safe(label) + end for end in variants if _safe(label) + end not in names)
        )
    return f"{kind}-{names[labels.index(world)]}"


def _safe(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-") or "world"
