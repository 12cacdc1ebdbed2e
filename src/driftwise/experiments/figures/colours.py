"""The style of each policy of an experiment, the same in every figure and on the page."""

from __future__ import annotations

from ...pages.palette import Style, styles_of
from ..spec.experiment import Experiment

__all__ = ["MOST_SHOWN", "policy_styles"]

MOST_SHOWN = 8  # more lines cannot be followed
_YARDSTICK = "Uniform"  # drawing arms at random is not a rival, so it is drawn in plain ink


def policy_styles(experiment: Experiment) -> dict[str, Style]:
    """Return a style for each contestant, by its label."""
    entries = [entry for entry in experiment.policies if entry.comparator is None]
    kinds = {entry.label: entry.name for entry in entries}
    plain = next((entry.label for entry in entries if entry.name == _YARDSTICK), "")
    return styles_of([entry.label for entry in entries], plain, kinds)
