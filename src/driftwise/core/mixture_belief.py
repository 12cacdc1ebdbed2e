"""What a mixture of Kalman filters believes: its memory, its noise, what is stale, what changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .explaining import Belief, share_of
from .mixture import CHANGED, CHANGES, DRIFT, LOG_MEMORY, MEMORY, ROUNDS, WEIGHT

__all__ = ["mixture_belief"]


def mixture_belief(memory: Any, width: float, parameter_norm: float) -> Belief:
    """Return the belief of filters and their mixture.

    The effective memory is the geometric mean of those of the filters, by their weights,

        exp(sum w_j ln(min(1 / g_j, t))),

    with t the rounds so far and g_j the steady gain of filter j, for an action that is played in
    every round (`driftwise.core.mixture.steady_gain`). A change is noticed when that memory has
    been less than a third of its average over 32 rounds for 16 rounds.
    """
    mixture, (spread, stale) = memory.mixture, memory.filters.covariances()
    table, tally = mixture.table, mixture.tally
    rounds, remembered = int(tally[ROUNDS]), math.exp(tally[MEMORY])
    values, vectors = np.linalg.eigh(stale)
    leading = vectors[:, -1] * (1.0 if vectors[np.abs(vectors[:, -1]).argmax(), -1] > 0.0 else -1.0)
    noise = math.sqrt(mixture.mean_noise())
    changed = int(tally[CHANGED]) or None
    details = {
        "rounds": rounds,
        "noise": noise,
        "filters": [
            {
                "drift": float(drift),
                "memory": min(math.exp(log_memory), float(max(rounds, 1))),
                "weight": float(weight),
            }
            for drift, log_memory, weight in zip(
                table[DRIFT], table[LOG_MEMORY], table[WEIGHT], strict=True
            )
        ],
        "stale_direction": {
            "direction": leading.tolist(),
            "staleness": share_of(float(values[-1])),
        },
        "last_change": changed,  # rewards that had come when the memory fell
        "changes": int(tally[CHANGES]),
    }
    plural = "" if rounds == 1 else "s"
    source = (
        f"After {rounds:,} round{plural}, the world has been changing as if only the last "
        f"{remembered:,.0f} counted."
    )
    remarks = (
        f"The noise is about {noise:.3g}.",
        f"A change was last noticed in round {changed:,}." if changed else "No change was noticed.",
    )
    return Belief(
        remembered, source, memory.filters.solution(), spread, width, 1.0,
        stale=stale, parameter_norm=parameter_norm, remarks=remarks, details=details,
    )  # fmt: skip
