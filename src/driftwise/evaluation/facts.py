"""What a log tells of itself, by the names that policies are tuned with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..logs.log import Log
from .preparing import prepare

__all__ = ["facts_of"]


def facts_of(log: Log, encoder: Any = None) -> dict[str, Any]:
    """Return how long a log is, how many actions there are, how long they are, and how rewards scatter.

    The noise is the error of forecasts one event ahead by the best window. How much the world drifts is not
    told: policies are to find out.
    """
    prepared = prepare(
        log, encoder=encoder, bounds=None, level=0.95, window=500, wait=None, late="matured"
    )
    events, found = prepared.events, prepared.forecasts
    at = prepared.scored[prepared.scored >= found.first]
    error = events.reward[at] - found.chosen[at]
    lengths = np.sqrt((events.actions * events.actions).sum(axis=2))
    fixed = events.fixed
    is_arms = fixed is not None and np.array_equal(fixed, np.eye(len(fixed)))
    return {
        "horizon": len(events),
        "dimension": events.actions.shape[2],
        "n_arms": events.actions.shape[1],
        "noise": max(math.sqrt(float((error * error).mean())) if len(at) else 1.0, 1e-9),
        "action_norm": max(float(lengths.max()), 1e-9),
        "geometry": "orthogonal" if is_arms else "general",
    }
