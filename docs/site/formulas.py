"""The rates of the theory as a table."""

from __future__ import annotations

from driftwise.theory import RATES

from .markdown import plain, table

__all__ = ["rates_table"]


def rates_table() -> str:
    """Return every rate with its conditions and its source."""
    rows = [
        (f"`{name}`", plain(rate.statement), plain(rate.conditions), plain(rate.source))
        for name, rate in RATES.items()
    ]
    return table(("name", "regret", "conditions", "source"), rows)
