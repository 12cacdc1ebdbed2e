"""What forgetting is worth, as plain numbers and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..core.base.showing import html_of
from .results import Course, cell, plain, spelled

__all__ = ["Gain", "Gains"]


@dataclass(frozen=True)
class Gain:
    """How much better one does with a window than with all of the past."""

    name: str  # "forecasts", "contrasts" or "decisions"
    value: float  # nan where nothing can be said
    low: float
    high: float
    estimand: str
    warnings: tuple[str, ...] = ()
    relative: float = math.nan  # to the loss without forgetting; nan for decisions
    window: int | None = None  # in rewards, after the last event; None: all of them
    over_time: Course | None = field(default=None, repr=False)

    @property
    def pays(self) -> bool:
        """Whether the interval lies above zero."""
        return self.low > 0.0

    @property
    def says(self) -> str:
        """The answer in a sentence."""
        shown = spelled(self.value, self.low, self.high)
        if not math.isnan(self.relative):
            shown = f"{self.shown_share} of the squared error, {shown}"
        if math.isnan(self.low):
            return f"Whether forgetting pays for {self.name} cannot be told: {shown}."
        if self.low > 0.0:
            return f"Forgetting pays for {self.name}: {shown}."
        if self.high < 0.0:
            return f"Forgetting harms {self.name}: {shown}."
        return f"Forgetting is not seen to pay for {self.name}: {shown}."

    @property
    def shown_share(self) -> str:
        """The share of the squared error in words; empty where there is none."""
        share = round(self.relative, 3) + 0.0  # and never -0.0
        return "" if math.isnan(share) else f"{share:+.1%}"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; None where there is no number."""
        return {
            "value": plain(self.value),
            "low": plain(self.low),
            "high": plain(self.high),
            "relative": plain(self.relative),
            "window": self.window,
            "pays": self.pays,
            "says": self.says,
            "estimand": self.estimand,
            "warnings": list(self.warnings),
            "over_time": None if self.over_time is None else self.over_time.as_dict(),
        }


@dataclass(frozen=True)
class Gains:
    """What forgetting is worth for forecasts, for contrasts between actions, and for decisions."""

    forecast: Gain  # of the reward of the logged action
    contrasts: Gain  # of how much an action differs from the others: what decisions depend on
    decisions: Gain  # in units of reward
    window: int | None  # what it would take, in rewards; None: all of them
    warnings: tuple[str, ...]  # about the log, and about cycles that may be missing
    events: int  # how many were scored

    @property
    def says(self) -> str:
        """The answer in a sentence."""
        took = _memory(self.window)
        if math.isnan(self.forecast.low):
            return "Whether forgetting pays cannot be told from so few events."
        if self.decisions.pays:
            own = _memory(self.decisions.window)
            return f"Forgetting pays: with {own} decisions bring {_brought(self.decisions)}."
        if self.decisions.high < 0.0:
            return f"Forgetting does not pay: with a window decisions bring {_brought(self.decisions)}."
        is_told = not math.isnan(self.decisions.low)
        cannot = "for decisions this log cannot tell"
        rest = "that decisions gain by it is not shown" if is_told else cannot
        if self.contrasts.pays:
            return f"Differences between actions drift, and {took} follows them; {rest}."
        if self.forecast.pays:
            what = (
                "Rewards drift" if math.isnan(self.contrasts.low) else "The level of rewards drifts"
            )
            return f"{what}, and forecasts gain by forgetting; {rest}."
        return f"Forgetting is not seen to pay{'' if is_told else f'; {cannot}'}."

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "says": self.says,
            "warnings": list(self.warnings),
            "window": self.window,
            "events": self.events,
            "forecast": self.forecast.as_dict(),
            "contrasts": self.contrasts.as_dict(),
            "decisions": self.decisions.as_dict(),
        }

    def as_text(self) -> str:
        """Return everything as lines for a person."""
        lines = [f"warning: {each}" for each in self.warnings]
        for gain in (self.forecast, self.contrasts, self.decisions):
            lines += [f"warning: {each}" for each in gain.warnings]
            lines += [gain.says, f"  {gain.estimand}"]
        return "\n".join([*lines, self.says])

    def __repr__(self) -> str:
        return self.as_text()

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        gains = (self.forecast, self.contrasts, self.decisions)
        said = [*self.warnings, *(each for gain in gains for each in gain.warnings)]
        rows = [[gain.name, *map(cell, (gain.value, gain.low, gain.high))] for gain in gains]
        return html_of(
            self.says, [("warning", each) for each in said], ["gain", "value", "low", "high"], rows
        )


def _memory(window: int | None) -> str:
    return "all of the past" if window is None else f"a window of {window:,} rewards"


def _brought(gain: Gain) -> str:
    return f"{gain.value:+.3g} [{gain.low:.3g}, {gain.high:.3g}] reward per event"
