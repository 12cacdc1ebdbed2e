"""Whether every decision got its reward, once, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .evidence import Evidence
from .finding import Finding

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_ids", "check_missing_rewards", "check_reward_times"]


def check_ids(evidence: Evidence, strays: pl.DataFrame) -> Iterator[Finding]:
    """Look for decisions, and rewards, that are there twice or belong to nothing."""
    n, with_id = len(evidence.arm), len(evidence.keys)
    twice = with_id - len(np.unique(evidence.keys))
    kinds = strays["kind"].value_counts()
    counts = dict(kinds.iter_rows())
    unknown, again = counts.get("unknown", 0), counts.get("again", 0)
    numbers = {"events": n, "without_id": n - with_id, "duplicates": twice}
    numbers |= {"unknown_ids": unknown, "second_rewards": again}
    if twice:
        yield Finding(
            "duplicates",
            "error",
            f"{twice:,} events have an event_id that another event has, too.",
            "What is there twice counts twice, and makes intervals too short.",
            "find out whether the log was joined or sent twice, and keep the first of each.",
            numbers,
        )
    if unknown:
        first = strays.filter(strays["kind"] == "unknown")["event_id"][0]
        yield Finding(
            "unknown ids",
            "warning",
            f"{unknown:,} rewards belong to no decision of this log, such as that of {first!r}.",
            "Decisions got lost, or their ids were written differently; if those with a reward get lost "
            "more often, the rest misleads.",
            "look for the decisions in what was logged before, or for a change of ids.",
            numbers,
        )
    if again:
        says = f"{again:,} rewards came for decisions that had one; the first was kept."
        means = "If later rewards correct earlier ones, the log holds the wrong ones."
        yield Finding("second rewards", "warning", says, means, "decide which counts.", numbers)
    if not (twice or unknown or again):
        if with_id < n:
            says = f"{n - with_id:,} of {n:,} events have no event_id."
            means = "Duplicates, and rewards that belong to nothing, cannot be found."
            yield Finding("ids", "note", says, means, "log one for each decision.", numbers)
        else:
            yield Finding("ids", "fine", "Every event has an id of its own.", "", "", numbers)


def check_missing_rewards(evidence: Evidence, wait: float | None) -> Iterator[Finding]:
    """Count decisions without reward, and see whether they gather at the end of the log."""
    missing = np.isnan(evidence.reward)
    is_mature = np.ones(len(missing), bool)
    if wait is not None and np.isfinite(evidence.time).any():
        is_mature = ~(evidence.time > np.nanmax(evidence.time) - wait)
    lost, n = int((missing & is_mature).sum()), int(is_mature.sum())
    tail = missing[len(missing) * 9 // 10 :]
    share, at_end = float(missing.mean()), float(tail.mean())
    numbers: dict[str, Any] = {"events": len(missing), "mature": n, "missing": int(missing.sum())}
    numbers |= {"missing_though_mature": lost, "share": share, "share_in_last_tenth": at_end}
    if not missing.any():
        yield Finding("rewards", "fine", "Every event has a reward.", "", "", numbers)
        return
    says = f"{int(missing.sum()):,} of {len(missing):,} events have no reward ({share:.1%}; in the last tenth of the log {at_end:.1%})."
    means = (
        "To count what has not arrived as 0 looks exactly like rewards that fall; to leave it out is "
        "right only if rewards get lost by chance."
    )
    if lost:
        advice = "fill in 0 where no reward means 0 and the wait is over; score only events that had their time."
        severity = "warning" if lost < n else "error"
    else:
        advice, severity = "score only events that had their time.", "note"
    yield Finding("rewards", severity, says, means, advice, numbers)


def check_reward_times(evidence: Evidence, wait: float | None) -> Iterator[Finding]:
    """Look at how late rewards came."""
    delays = (evidence.reward_time - evidence.time)[~np.isnan(evidence.reward)]
    delays = delays[np.isfinite(delays)]
    if not len(delays):
        return
    middle, high = (float(np.quantile(delays, q)) for q in (0.5, 0.99))
    early = int((delays < 0.0).sum())
    late = None if wait is None else int((delays > wait).sum())
    numbers: dict[str, Any] = {
        "rewards": len(delays),
        "median_delay": middle,
        "quantile_0.99": high,
    }
    numbers |= {"largest_delay": float(delays.max()), "before_decision": early, "late": late}
    if early:
        says = f"{early:,} rewards came before their decisions."
        means = "Clocks differ, or rewards were joined to the wrong decisions."
        yield Finding("delays", "error", says, means, "compare the clocks and the ids.", numbers)
    if late:
        says = f"{late:,} of {len(delays):,} rewards came later than {wait:g}."
        means = "Whoever waits that long would have missed them."
        yield Finding(
            "delays", "warning", says, means, "wait longer, or count without them.", numbers
        )
    if not early and not late:
        says = f"Half of the rewards came within {middle:.4g} of their decisions, 99 % within {high:.4g}."
        means = "A learner knows them only then."
        yield Finding("delays", "fine", says, means, "", numbers)
