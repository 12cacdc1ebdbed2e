"""Several policies on one log: walked along it, scored on the same events, compared pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.waiting import watched
from .options import Work
from .preparing import Prepared
from .results import Evaluated, Evaluation
from .scoring import difference, evaluated
from .walking import ADVICE, REPLAY, SHARE, Walk, walk

__all__ = ["of_the_log", "side_by_side", "walks"]

Numbers = NDArray[np.float64]


def walks(
    prepared: Prepared, work: Work, policies: Mapping[str, Any], kind: int, rate: float = 1.0
) -> dict[str, Walk]:
    """Let each policy walk along the log."""
    play = partial(_walk, prepared.events, kind, rate, work.seed)
    return work.each(play, policies, len(prepared.events), _SAYS[kind], counts=True)


_SAYS = {
    ADVICE: "Asking in every event",
    SHARE: "Learning on a share",
    REPLAY: "Replaying",
}


def _walk(events: Any, kind: int, rate: float, seed: int, policy: Any, counted: Any = None) -> Walk:
    return walk(policy, events, kind, rate, seed, counted=counted)


def side_by_side(
    kind: str,
    prepared: Prepared,
    probabilities: Mapping[str, Numbers],  # (n, K), of each policy
    estimand: Callable[[str], str],
    warnings: Mapping[str, tuple[str, ...]] | None = None,  # of each policy
    details: Mapping[str, dict[str, Any]] | None = None,  # of each policy
) -> Evaluation:
    """Score policies whose choices depend on the past alone."""
    found = {
        name: evaluated(
            name,
            prepared,
            own,
            estimand(name),
            warnings=(warnings or {}).get(name, ()),
            details=(details or {}).get(name),
        )
        for name, own in probabilities.items()
    }
    log = of_the_log(prepared)
    pairs = [*((each, log) for each in found.values()), *combinations(found.values(), 2)]
    compared = watched(pairs, "Comparing")
    differences = [difference(prepared, first, second) for first, second in compared]
    return Evaluation(kind, found, log, differences, prepared.warnings)


def of_the_log(prepared: Prepared) -> Evaluated:
    """Return what the log itself earned."""
    return evaluated(
        "log",
        prepared,
        None,
        f"The mean reward of an event, over the {len(prepared.scored):,} scored events of this log, as it "
        "was: a plain mean.",
    )
