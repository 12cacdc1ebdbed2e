"""Plain replay, for comparison with what others report: right only in a world that stands still."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from ..logs.log import Log
from .options import Options, begun, require_policies
from .preparing import Prepared
from .results import Difference, Evaluated, Evaluation
from .scoring import evaluated, too_few
from .share import largest_rate
from .side_by_side import of_the_log, walks
from .walking import REPLAY, SHARE, Walk

__all__ = ["replay"]


def replay(log: Log, policies: Mapping[str, Any], **options: Unpack[Options]) -> Evaluation:
    """Return what plain replay reports: learn and score only events in which policy and log agree.

    That is how other packages evaluate a learner (Li et al., 2011), for events that are independent and
    alike. Under drift it is biased without bound: between two events that are accepted the world
    moves on and the policy's clock stands still, so it is a learner in a world that drifts faster by
    one over the rate of acceptance. Where the log was not made by chance alone, events are accepted
    where policy and log agree, and stale beliefs look right. There is no interval, and a warning says
    how far it is from `share`, which learns at a like rate and is unbiased.

    Parameters
    ----------
    log, policies, options
        As for `advice`.
    """
    prepared, work = begun(log, options)
    chosen = require_policies(policies)
    walked = walks(prepared, work, chosen, REPLAY)
    fair: dict[str, Walk] = {}
    if not np.isnan(prepared.events.propensity).any():
        fair = walks(prepared, work, chosen, SHARE, largest_rate(prepared.events))
    found = {name: _replayed(name, prepared, one, fair.get(name)) for name, one in walked.items()}
    own = of_the_log(prepared)
    pairs = [*((each, own) for each in found.values()), *combinations(found.values(), 2)]
    differences = [
        Difference(first.name, second.name, first.value - second.value, math.nan, math.nan)
        for first, second in pairs
    ]
    return Evaluation("replay", found, own, differences, prepared.warnings)


def _replayed(name: str, prepared: Prepared, walked: Walk, fair: Walk | None) -> Evaluated:
    at = prepared.scored
    accepted = walked.is_learnt[at]
    weight = prepared.scoring.arrival[at] * accepted
    reward = np.where(weight > 0.0, prepared.events.reward[at], 0.0)
    count = int(accepted.sum())
    value = float((weight * reward).sum() / count) if count else math.nan
    rate = count / len(at)
    said = [
        f"Plain replay is right only in a world that stands still. It accepts {rate:.1%} of the events and "
        "lets no time pass in the others"
        + (
            f": to the policy this world drifts {1.0 / rate:.1f} times as fast as it does"
            if count
            else ""
        )
        + ". No interval would be right."
    ]
    said = [*too_few(count), *said]
    details: dict[str, Any] = {"accepted": count}
    if fair is not None:
        unbiased = evaluated(name, prepared, fair.probabilities, "")
        details |= {"share": unbiased.value, "apart_from_share": value - unbiased.value}
        apart = f"is {value - unbiased.value:+.3g} apart from" if count else "stands against"
        said.append(
            f"On this log it {apart} share, which is unbiased and says {unbiased.value:.4g}."
        )
    return Evaluated(
        name,
        value,
        math.nan,
        math.nan,
        f"The mean reward of the {count:,} events in which {name}, which learns from these alone, chose what "
        "the log did.",
        tuple(said),
        count,
        float(count),
        details=details,
    )
