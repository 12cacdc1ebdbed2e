"""What policies would have earned had they been handed a constant share of the events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from ..core.base.card import policies_inside
from ..core.base.validation import require_number
from ..logs.log import Log
from .events import Events
from .options import Options, begun, require_policies
from .results import Evaluation
from .side_by_side import side_by_side, walks
from .walking import SHARE

__all__ = ["largest_rate", "share"]

_THIN = 0.05  # a share below which a learner sees next to nothing


def share(
    log: Log, policies: Mapping[str, Any], *, rate: float | None = None, **options: Unpack[Options]
) -> Evaluation:
    r"""Return what each policy would have earned had it learnt from its own choices on a share of the events.

    Each event is the policy's own with the same probability c. In event t, with π_t its probabilities,
    it learns the logged action and reward with probability :math:`c \pi_t(a_t) / p_t(a_t)`; otherwise its
    clock ticks (`tick` of a policy), so that it forgets by the events of the log. Then the events from which
    it learns have the law of a policy that is handed each event by a coin of probability c, chooses by
    π_t and is rewarded by the world of that moment, however that drifts. Every event is scored, as in `advice`.

    A share that depends on the past would break this, so c is constant over the log.

    Parameters
    ----------
    log
        With propensities; best with those of all actions.
    policies
        By name, as for `advice`.
    rate
        The share c. The largest possible, which is the least propensity in the log, by default.
    options
        As for `advice`.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> random = np.random.default_rng(0)
    >>> log = dw.Log(
    ...     {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5],
    ...      "reward": float(random.random() < 0.3 + 0.4 * k)}
    ...     for k in random.integers(2, size=2000)
    ... )
    >>> found = dw.evaluation.share(log, {"mine": dw.UCB1()})["mine"]
    >>> found.low < 0.69 < found.high, found.details["rate"]
    (True, 0.5)
    """
    prepared, work = begun(log, options)
    chosen = require_policies(policies)
    most = largest_rate(prepared.events)
    if rate is None:
        rate = most
    elif require_number("rate", rate, above=0.0) > most:
        raise ValueError(
            f"rate must be at most {most:g}, the least propensity in the log, got {rate:g}"
        )
    walked = walks(prepared, work, chosen, SHARE, rate)
    n = len(prepared.scored)
    common = _doubts(prepared.events, rate)
    warnings = {name: (*_of_clock(policy), *common) for name, policy in chosen.items()}
    return side_by_side(
        "share",
        prepared,
        {name: one.probabilities for name, one in walked.items()},
        lambda name: (
            f"The mean reward of an event, over the {n:,} scored events of this log, had {name} chosen in "
            f"each of them, having learnt until then from its own choices on a share of {rate:.3g} of the "
            "events, each of them handed to it by chance."
        ),
        warnings,
        {
            name: {"rate": rate, "learnt_from": int(one.is_learnt.sum())}
            for name, one in walked.items()
        },
    )


def largest_rate(events: Events) -> float:
    """Return the least propensity in the log: with c at most that, no probability exceeds 1."""
    if np.isnan(events.propensity).any():
        missing = int(np.isnan(events.propensity).sum())
        raise ValueError(
            f"log must have propensities in all events for a share, got none in {missing:,} of {len(events):,}"
        )
    known = events.propensities[np.nan_to_num(events.propensities) > 0.0]
    return float(min(events.propensity.min(), known.min() if known.size else 1.0))


def _of_clock(policy: Any) -> tuple[str, ...]:
    return tuple(
        f"{type(each).__name__} has no rule `tick`: if it forgets, it forgets by its own events and not by the clock "
        "of the log."
        for each in (policy, *policies_inside(policy))
        if not hasattr(each, "tick")
    )


def _doubts(events: Events, rate: float) -> tuple[str, ...]:
    said = []
    vectors = events.propensities
    if vectors.shape[1] == 0 or np.isnan(vectors).any():
        said.append(
            "The log has not got the propensities of all actions: the share may be too large for "
            "actions that were not chosen, and is right only if none of them had a lower propensity."
        )
    if rate < _THIN:
        said.append(
            f"The share is {rate:.2g}: a policy learns next to nothing from so few events. advice and "
            "all_traffic say more about this log."
        )
    return tuple(said)
