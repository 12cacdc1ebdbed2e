"""The paper's experiments, played when the site is built: verdicts, and every figure."""

from __future__ import annotations

import tempfile
from pathlib import Path

from driftwise.experiments import reproduce
from driftwise.experiments.analysis.outcome import Outcome

from .markdown import plain

__all__ = ["reproduced"]

_FIGURES = {
    "regret-over-time": "Regret over time",
    "growth": "How regret grows with the horizon",
    "drift": "The world",
    "one-run": "One run, from the inside",
}


def reproduced() -> tuple[str, dict[str, bytes]]:
    """Return a page in Markdown, and its pictures by place."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = reproduce(quick=True, out=folder, quiet=True)
        files = sorted(Path(folder).glob("*/*.svg"))
        pictures = {
            f"paper/pictures/{path.parent.name}-{path.name}": path.read_bytes() for path in files
        }
    return "\n\n".join([_verdicts(outcome), *_figures(outcome, list(pictures))]), pictures


def _verdicts(outcome: Outcome) -> str:
    verdicts = [verdict for findings in outcome.findings for verdict in findings.verdicts]
    said = [
        f"**{plain(each.claim.title)}: {each.result.value}.** The paper: “{plain(each.claim.quote)}”."
        f" Measured: {plain(each.sentence)}"
        for each in verdicts
    ]
    return "\n\n".join(["## What the paper claims, and what came out", *said])


def _figures(outcome: Outcome, places: list[str]) -> list[str]:
    """Return a section for each experiment; figures in the order in which one would look at them."""
    parts = []
    for findings in outcome.findings:
        experiment = findings.experiment
        own = [place for place in places if f"/{experiment.name}-" in place]
        parts += [f"## {plain(experiment.title)}", plain(experiment.description)]
        for name, title in _FIGURES.items():
            parts += [
                f"### {title}\n\n![{title}: {plain(experiment.title)}]({place.removeprefix('paper/')})"
                for place in own
                if place.endswith(f"-{name}.svg")
            ]
    return parts
