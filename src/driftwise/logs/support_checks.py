"""Whether the log holds enough to say something about other choices than its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .evidence import Evidence
from .finding import Finding

__all__ = ["check_effective_sample", "check_support"]

_LEAST_SHARE, _LEAST_EVENTS = 0.05, 50  # of events, below which an estimate by weights is poor


def check_support(evidence: Evidence) -> Iterator[Finding]:
    """Look at which actions could be chosen at all, and how improbable the chosen ones were."""
    p = evidence.propensity
    known = np.isfinite(p)
    missing = int((~known).sum())
    numbers: dict[str, Any] = {"events": len(p), "without_propensity": missing}
    means = "What another policy would have earned cannot be estimated by weights."
    if missing:
        says = f"{missing:,} of {len(p):,} events have no propensity."
        advice = "log it when the decision is made; it cannot be made up later from a model."
        yield Finding("support", "warning", says, means, advice, numbers)
    if not known.any():
        return
    if (p[known] == 1.0).all():
        says = "Every propensity is 1: the policy left nothing to chance."
        advice = (
            "let a small share of decisions be random from now on, and log their propensities; an agent "
            "can still learn from this log."
        )
        yield Finding("support", "warning", says, means, advice, numbers)
        return
    least, low = float(p[known].min()), float(np.quantile(p[known], 0.001))
    played = np.bincount(evidence.arm, minlength=len(evidence.arms))
    never = [name for name, count in zip(evidence.arms, played, strict=True) if not count]
    numbers |= {
        "least_propensity": least,
        "quantile_0.001": low,
        "largest_weight": 1.0 / least,
        "never_chosen": never[:100],
        "share_of_zeros": evidence.zeros / evidence.pairs if evidence.pairs else None,
    }
    if never:
        says = f"{len(never):,} of {len(evidence.arms):,} actions were never chosen, such as {never[0]!r}."
        means = "Nothing can be said about them without a model of rewards."
        yield Finding("support", "warning", says, means, "explore, or leave them out.", numbers)
    elif evidence.zeros:
        share = evidence.zeros / evidence.pairs
        says = f"In {share:.1%} of cases an action that was offered had propensity 0."
        means = "A policy that chooses such an action cannot be evaluated by weights."
        yield Finding("support", "warning", says, means, "explore among all actions.", numbers)
    else:
        says = f"The least propensity is {least:.3g}: one event weighs up to {1.0 / least:,.0f}."
        yield Finding("support", "fine", says, "", "", numbers)


def check_effective_sample(evidence: Evidence) -> Iterator[Finding]:
    """Count how many events an estimate for a policy that plays all actions alike would rest on.

    (sum w)^2 / sum w^2 with weights w = 1 / (K p).
    """
    known = np.isfinite(evidence.propensity) & (evidence.size > 0)
    if not known.any() or (evidence.propensity[known] == 1.0).all():
        return
    w = 1.0 / (evidence.size[known] * evidence.propensity[known])
    n, effective = len(w), float(w.sum() ** 2 / (w * w).sum())
    numbers = {"events": n, "effective": effective, "share": effective / n}
    says = (
        f"For a policy that plays all actions alike, {n:,} events are worth {effective:,.0f} "
        f"({effective / n:.0%})."
    )
    if effective < max(_LEAST_EVENTS, _LEAST_SHARE * n):
        means = "An estimate hangs on a few events of large weight, and its interval is too short."
        advice = "explore more, or compare policies that resemble the logging one."
        yield Finding("effective sample", "warning", says, means, advice, numbers)
    else:
        yield Finding("effective sample", "fine", says, "", "", numbers)
