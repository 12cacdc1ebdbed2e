"""What a problem file says, as plain data that was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.base.arrays import Matrix
from ...features.encoder import Encoder

__all__ = ["JOINS", "Guards", "Limits", "Logging", "Problem", "Rewards", "Shadow", "Template"]

JOINS = ("first", "sum", "mean", "last", "max", "min")
SECOND = 1_000_000  # in microseconds, the unit of time


@dataclass(frozen=True)
class Rewards:
    """How rewards come, and how long they are waited for."""

    low: float = 0.0
    high: float = 1.0
    window: int = 3600 * SECOND
    default: float | None = 0.0  # learnt when none came; None: nothing is
    learns_late: bool = False  # what comes after the window, where no default was learnt
    join: str = "first"
    is_binary: bool = False  # nothing between the ends of the range

    @property
    def rule(self) -> str:
        """What a reward must be."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        return f"{low} or {high}" if self.is_binary else f"in [{low}, {high}]"

    def allows(self, value: float) -> bool:
        """Return whether a reward may be told; nan may not."""
        is_inside = self.low <= value <= self.high
        return is_inside and (not self.is_binary or value in (self.low, self.high))

    def scaled(self, value: float) -> float:
        """Return a reward as the policy sees it: from 0 to 1 over the range."""
        return (value - self.low) / (self.high - self.low)

    def joined(self, parts: Mapping[str, float]) -> float:
        """Return the one reward that several parts, in order of arrival, stand for."""
        values = list(parts.values())
        if self.join == "sum":
            return sum(values)
        if self.join == "mean":
            return sum(values) / len(values)
        if self.join in ("max", "min"):
            return max(values) if self.join == "max" else min(values)
        return values[-1]


@dataclass(frozen=True)
class Guards:
    """What holds whatever the policy wants."""

    fallback: int | None = None  # arm, or row of the actions of a request
    largest_share: Mapping[int, float] = field(default_factory=dict)  # by arm
    over: int = 1000  # decisions over which shares are counted


@dataclass(frozen=True)
class Limits:
    """How much is taken in."""

    body: int = 256 * 1024  # bytes
    actions: int = 1000
    dimension: int = 256
    numbers: int = 20_000  # of one decision set
    open: int = 1_000_000  # decisions whose reward may come, or is held
    waiting: int = 10_000  # rewards that came before their decision
    parts: int = 1000  # of the reward of one decision
    remembered: int = 100_000  # closed decisions in memory; older ones are found in the store
    users: int = 100_000  # who keep their arm; the one who came first is let go of first
    queue: int = 20_000  # events that are not durable yet
    rate: float = 0.0  # requests a second by one key; 0: as many as come
    streams: int = 50


@dataclass(frozen=True)
class Logging:
    """What is kept of a decision."""

    rows: bool = True  # all that were offered, or the chosen one
    context: bool = False


@dataclass(frozen=True)
class Shadow:
    """A policy that follows the log, and decides nothing."""

    name: str
    settings: dict[str, Any]  # as [policy] in a problem file


@dataclass(frozen=True)
class Template:
    """How many problems of a kind there may be, and how long each stays in memory."""

    idle: int = 600 * SECOND  # after which a problem that nobody asks leaves memory
    resident: int = 100  # problems in memory, at most
    most: int = 100_000  # problems in all


@dataclass(frozen=True)
class Problem:
    """One problem: all that its file says."""

    name: str
    policy: Any
    arms: tuple[str, ...] = ()  # empty: actions come with each request
    features: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of arms
    encoder: Encoder | None = None
    dimension: int = 0
    reward: Rewards = Rewards()
    share: float = 0.02
    guards: Guards = Guards()
    limits: Limits = Limits()
    log: Logging = Logging()
    seed: int = 0
    text: str = ""
    shadows: tuple[Shadow, ...] = ()
    template: Template | None = None  # None: this is a problem, and no template of many

    @property
    def fixed_rows(self) -> Matrix | None:
        """The decision set, if no request changes it."""
        if not self.arms:
            return None
        if self.encoder is None:
            return np.eye(len(self.arms))
        if any(path.startswith("context.") for path in self.encoder.declaration.fields):
            return None
        return self.encoder.rows({}, self.features)
