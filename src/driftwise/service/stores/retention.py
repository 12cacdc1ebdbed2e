"""Which snapshots are kept: the last few, and one a day for a month."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["superfluous"]

_KEPT = 3  # newest ones
_DAY = 86_400_000_000  # microseconds


def superfluous(snapshots: Iterable[tuple[int, ...]], now: int) -> list[int]:
    """Return those that may go, of seqs and times, the newest first."""
    days, found = set[int](), list[int]()
    for place, (seq, t) in enumerate(snapshots):
        is_first = t // _DAY not in days and now - t < 30 * _DAY
        days.add(t // _DAY)
        if place >= _KEPT and not is_first:
            found.append(seq)
    return found
