"""One line of the table: what was measured, and how far to trust it."""

from __future__ import annotations

from typing import NamedTuple

from .timing import Ratio

__all__ = ["Measurement", "not_measured", "of_ratio"]


class Measurement(NamedTuple):
    """A number under a key that the budget knows."""

    key: str
    work: str  # what was done, for a reader
    value: float | None  # None if it could not be measured; the note then says why
    unit: str = "x"
    lower: float | None = None  # what parts of the times say, where there are many
    upper: float | None = None
    note: str = ""


def of_ratio(key: str, work: str, ratio: Ratio, *, rounds: int = 0, note: str = "") -> Measurement:
    """Return the measurement of a ratio; given its rounds, with what one costs on each side."""
    if rounds:
        ours, theirs = (1e6 * s / rounds for s in (ratio.seconds, ratio.other_seconds))
        note = f"{ours:.3g} against {theirs:.3g} µs a round" + (f"; {note}" if note else "")
    return Measurement(key, work, ratio.best, "x", ratio.lower, ratio.upper, note)


def not_measured(key: str, work: str, reason: str) -> Measurement:
    """Return a measurement that could not be taken; the budget counts it as missed."""
    return Measurement(key, work, None, note=f"not measured: {reason}")
