"""What all evaluations of one log share: its arrays, which events count, and a model of rewards."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.validation import require_between, require_integer, require_number
from ..logs.log import Log
from .arrivals import Scoring, scoring_of
from .events import Events, events_of
from .forecasts import Forecasts, forecasts, ridge_of

__all__ = ["Prepared", "prepare"]

Numbers = NDArray[np.float64]


class Prepared:
    """A log that is ready to be scored.

    Parameters
    ----------
    events, scoring
        The log as arrays, and which of its events count.
    bounds
        Between what rewards lie by declaration, if that was declared.
    level
        The level of intervals.
    window
        How many events a value over time averages.
    """

    def __init__(
        self,
        events: Events,
        scoring: Scoring,
        bounds: tuple[float, float] | None,
        level: float,
        window: int,
    ) -> None:
        self.events, self.scoring = events, scoring
        self.bounds, self.level, self.window = bounds, level, window
        self.scored: NDArray[np.intp] = np.flatnonzero(scoring.is_scored)

    @cached_property
    def forecasts(self) -> Forecasts:
        """Rewards forecast from the features of the logged action, window by window."""
        rows = self.events.rows_of(self.events.chosen)
        return forecasts(rows, self.events.reward, self.events.arrivals, ridge_of(rows))

    @cached_property
    def model(self) -> Numbers:
        """What each row of each event promises, fitted on rewards known before it, (n, K)."""
        return self.events.scores(self.forecasts.parameters)

    @cached_property
    def residual_square(self) -> float:
        """How far rewards are from the model, as a mean square."""
        at = self.scored[self.scoring.arrival[self.scored] > 0.0]
        error = self.events.reward[at] - self.model[at, self.events.chosen[at]]
        return float(np.mean(error * error)) if len(at) else 0.0

    @cached_property
    def has_vectors(self) -> bool:
        """Whether the propensities of all rows are known in all scored events."""
        known = self.events.propensities[self.scored]
        return known.shape[1] > 0 and not bool(np.isnan(known).any())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be said whatever is estimated."""
        return (*self.scoring.warnings, *self.events.notes)


def prepare(
    log: Log,
    *,
    encoder: Any,
    bounds: ArrayLike | None,
    level: float,
    window: int,
    wait: float | None,
    late: str,
) -> Prepared:
    """Read a log once, and check what was said about it."""
    level = require_between("level", level, 0.5, 0.9999)
    window = require_integer("window", window, at_least=2)
    events = events_of(log, encoder)
    scoring = scoring_of(events.reward, events.arrivals, wait, late)
    if not scoring.is_scored.any():
        raise ValueError(
            f"log must have events with a reward that may be scored, got none of {len(events):,}"
        )
    return Prepared(events, scoring, _bounds(bounds, events.reward), level, window)


def _bounds(bounds: Any, reward: Numbers) -> tuple[float, float] | None:
    """Return declared bounds, or say which reward lies outside."""
    if bounds is None:
        return None
    if np.shape(bounds) != (2,):
        raise ValueError(f"bounds must be the least and the largest reward, got {bounds!r}")
    low, high = (require_number("bounds", each) for each in bounds)
    if not low < high:
        raise ValueError(f"bounds must be the smaller one first, got {low} and {high}")
    outside = np.flatnonzero((reward < low) | (reward > high))
    if len(outside):
        raise ValueError(
            f"reward must lie in the declared bounds, {low:g} to {high:g}, got {reward[outside[0]]:g} "
            f"in event {outside[0]} and {len(outside):,} such rewards in all"
        )
    return low, high
