"""What a request offers, and what was decided then."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ..core.base.arrays import Matrix
from ..core.contract.decision import Decision

__all__ = ["NothingOnOfferError", "Offer", "Played"]


class NothingOnOfferError(ValueError):
    """All arms are off, and there is none to fall back to."""


class Offer(NamedTuple):
    """What a request offers."""

    rows: Matrix | None  # (K, d); None: those that the problem fixes
    n_rows: int
    off: Collection[int] = ()  # left out by the request
    baseline: int | None = None  # what the caller would play
    kept: int | None = None  # what the user has


class Played(NamedTuple):
    """What was decided."""

    made: Decision  # what the agent learns from
    offered: list[int] | None  # arms of the rows that were offered; None: all
    rows: bytes  # those rows; empty where the problem fixes them
    row: int
    arm: int
    own: int  # row that the policy chose
    propensity: float | None
    branch: int
    share: float
