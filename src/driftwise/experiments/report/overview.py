"""What was run, and what a reader must know before believing any of it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import metadata

from ... import __version__
from ...core.base.card import summary_of
from ...pages.pieces import definitions
from ...registry import find_world
from ..analysis.findings import Findings
from ..spec.experiment import Entry
from .settings import spelled

__all__ = ["describe_run", "extent_of", "notices_of", "versions"]

# Fewer replications than this, and the percentiles of a bootstrap are too close together.
_FEW = 20


def extent_of(findings: Sequence[Findings]) -> str:
    """Return in one sentence how much was run."""
    first = findings[0].experiment
    horizons = sorted({horizon for each in findings for horizon in each.experiment.horizons})
    up_to = "" if all(each.is_complete for each in findings) else "up to "
    rounds = f"{horizons[0]:,}" if len(horizons) == 1 else f"{horizons[0]:,} to {horizons[-1]:,}"
    sentence = (
        f"{up_to}{_counted(first.replications, 'replication')} at each of"
        f" {_counted(len(horizons), 'horizon')} ({rounds} rounds); square brackets hold 95%"
        " intervals, from a bootstrap over replications."
    )
    return sentence[0].upper() + sentence[1:]


def notices_of(findings: Sequence[Findings]) -> list[str]:
    """Return what makes the numbers weaker than they look, each notice once."""
    notices: dict[str, None] = {}
    for each in findings:
        counts = [standings.replications for standings in each.standings]
        if not each.is_complete:
            notices[_interruption(each)] = None
        if each.experiment.is_quick:
            notices[
                "This is a quick look, with fewer horizons or replications than the experiment"
                " has. Run without --quick for all of it."
            ] = None
        if min(counts) == 1:
            notices["With a single replication there is no interval, and chance is not judged."] = (
                None
            )
        elif min(counts) < _FEW:
            notices[
                f"With fewer than {_FEW} replications bootstrap intervals come out too narrow."
            ] = None
    return list(notices)


def describe_run(findings: Findings) -> str:
    """Return who played where, for how long and how often."""
    experiment = findings.experiment
    worlds = [_world(entry) for entry in experiment.worlds]
    policies = [_policy(entry) for entry in experiment.policies if not entry.comparator]
    comparators = [
        f"{label}: whichever of {len(labels)} was best in hindsight"
        for label, labels in experiment.comparators.items()
    ]
    horizons = ", ".join(f"{horizon:,}" for horizon in experiment.horizons)
    return definitions(
        [
            *(("World" if len(worlds) == 1 else "Worlds", text) for text in worlds),
            *(("Policy" if len(policies) == 1 else "Policies", text) for text in policies),
            *(("Comparator" if len(comparators) == 1 else "Comparators", t) for t in comparators),
            ("Horizons", f"{horizons} rounds"),
            (
                "Replications",
                f"{experiment.replications}; all policies meet the same noise in each",
            ),
            ("Seed", str(experiment.seed)),
        ],
        "facts",
    )


def versions() -> str:
    """Return what the numbers were made with."""
    others = ("numpy", "numba", "polars", "matplotlib")
    found = ", ".join(f"{name} {metadata.version(name)}" for name in others)
    return f"Made with driftwise {__version__}, {found}, Python {platform.python_version()}."


def _world(entry: Entry) -> str:
    return f"{_named(entry)}{_given(entry)}. {summary_of(find_world(entry.name))}"


def _policy(entry: Entry) -> str:
    if not entry.is_tuned:
        told = "set by hand"
    else:
        told = "tuned for each world and horizon" + (
            "" if entry.is_variation_known else ", without being told the variation"
        )
    return f"{_named(entry)}{_given(entry)}, {told}"


def _named(entry: Entry) -> str:
    return entry.name if entry.label == entry.name else f"{entry.label}: {entry.name}"


def _given(entry: Entry) -> str:
    given = ", ".join(f"{name} = {spelled(value)}" for name, value in entry.settings.items())
    return f" with {given}" if given else ""


def _interruption(findings: Findings) -> str:
    experiment = findings.experiment
    parts = [
        f"{each.replications} in {each.world} at {each.horizon:,}"
        for each in findings.standings
        if each.replications < experiment.replications
    ]
    n_pairs = len(experiment.worlds) * len(experiment.horizons)
    absent = n_pairs - len(findings.pairs)
    if absent:
        parts.append(f"none at {absent} of {n_pairs} worlds and horizons")
    return (
        f"The run of “{experiment.title}” was interrupted. Instead of {experiment.replications}"
        f" replications it has: {'; '.join(parts) or 'not all policies everywhere'}. The same"
        " command resumes it."
    )


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" + "s" * (n != 1)
