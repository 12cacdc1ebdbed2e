"""The budget: what each measurement may be, and whether it is."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from .measurement import Measurement

__all__ = ["Limit", "Verdict", "judge", "read_budget"]

_FILE = Path(__file__).with_name("budget.toml")
_SIDES = ("at_most", "at_least")


class Limit(NamedTuple):
    """One bound."""

    side: str  # "at_most" or "at_least"
    bound: float

    def holds(self, value: float | None) -> bool:
        """Return whether a value keeps within the bound; nothing and nan do not."""
        if value is None or math.isnan(value):
            return False
        return value <= self.bound if self.side == "at_most" else value >= self.bound


class Verdict(NamedTuple):
    """A measurement beside its limit."""

    measurement: Measurement
    limit: Limit | None  # None for what is only reported
    is_met: bool


def read_budget(text: str | None = None) -> dict[str, Limit]:
    """Return the limits of budget.toml, or of a text of that form."""
    entries = tomllib.loads(_FILE.read_text("utf-8") if text is None else text)
    budget = {}
    for key, entry in entries.items():
        sides = list(entry) if isinstance(entry, dict) else []
        if len(sides) != 1 or sides[0] not in _SIDES:
            raise ValueError(f"{key} must have either at_most or at_least, got {entry!r}")
        bound = entry[sides[0]]
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise TypeError(f"{key} must have a number for its bound, got {bound!r}")
        budget[key] = Limit(sides[0], float(bound))
    return budget


def judge(measurements: Iterable[Measurement], budget: Mapping[str, Limit]) -> list[Verdict]:
    """Hold every measurement to its limit; a limit that nothing was measured for is missed."""
    verdicts = []
    for measurement in measurements:
        limit = budget.get(measurement.key)
        is_met = limit is None or limit.holds(measurement.value)
        verdicts.append(Verdict(measurement, limit, is_met))
    known = {verdict.measurement.key for verdict in verdicts}
    for key in budget:
        if key not in known:
            missing = Measurement(key, key, None, note="not measured: nothing measures it")
            verdicts.append(Verdict(missing, budget[key], False))
    return verdicts
