"""What the page is told: all of the past when it opens, and one beat a second from then on.

``GET /v1/{problem}/past`` answers with a `Past`; ``GET /v1/{problem}/stream`` is a stream of server-sent
events, each with the JSON of a `Beat` as its data and the seq of the last event as its id.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..shadows.scoring import Standing

__all__ = ["Beat", "Belief", "Change", "Delays", "Head", "Moments", "Past", "Recent"]


class Moments(msgspec.Struct):
    """Columns of equal length, one entry a period: a second, a minute or an hour.

    The last entry is the period that is not over yet. Periods in which nothing happened are there, too.
    """

    t: list[int] = []  # when the period begins, in seconds since 1970
    decisions: list[int] = []
    rewards: list[int] = []  # that were learnt, or are held, defaults among them
    reward_sum: list[float] = []  # of these, in units of the problem; the mean is sum over count
    explored: list[int] = []  # rewards of explored rounds: what any arm brings, the baseline
    explored_sum: list[float] = []
    explored_squares: list[float] = []  # sum of squares, for the error band of the mean
    expired: list[int] = []  # decisions whose window closed without a reward
    memory: list[float | None] = []  # effective memory in rounds, at the end of the period
    noise: list[float | None] = []
    branches: list[list[int]] = []  # decisions by branch: policy, explore, baseline, forced
    arms: list[list[int]] = []  # decisions by arm, in the order of `Head.arms`; empty without arms


class Head(msgspec.Struct):
    """What does not change while the page is open."""

    problem: str
    policy: str  # such as "AdaptiveUCB"
    version: str  # of problem and policy, 12 digits
    arms: list[str]  # empty: actions come with each request
    features: list[str]  # names of the columns of a row; empty where nobody named them
    reward_low: float
    reward_high: float
    window: float  # seconds for which a reward is waited for
    default: float | None  # learnt when none comes
    join: str  # how several rewards become one
    fallback: str | None  # arm of the kill switch
    started: int  # when this service started, in seconds since 1970


class Belief(msgspec.Struct):
    """What the policy believes, as `Agent.explain` tells it; rewards are scaled to [0, 1] there."""

    seq: int  # of the state that believed this
    summary: list[str]  # sentences
    memory: float | None  # effective memory in rounds
    noise: float | None
    estimate: list[float | None]  # by feature, or by arm
    errors: list[float | None]  # standard errors of these
    arms: list[dict[str, Any]]  # mean, standard_error, upper_bound, name; empty without fixed arms
    winner: str  # why the current winner wins, in a sentence; empty without fixed arms
    changes: int | None  # how many were noticed


class Change(msgspec.Struct):
    """A moment to be marked by a vertical line."""

    t: int  # seconds since 1970
    what: str  # "change noticed", or what somebody did, such as "mode fallback"
    who: str = ""  # the key, of what somebody did
    why: str = ""


class Delays(msgspec.Struct):
    """How long rewards took, since the service started."""

    bounds: list[float]  # seconds; upper ends of all bins but the last, which has none
    counts: list[int]  # one more than bounds


class Recent(msgspec.Struct):
    """One of the last events."""

    seq: int
    t: int  # seconds since 1970
    kind: str  # decided, rewarded, expired, controlled
    id: str
    what: str  # such as "arm middle, explore" or "0.4, learnt"


class Beat(msgspec.Struct):
    """How things are now: one a second."""

    t: int  # seconds since 1970
    seq: int
    mode: str  # normal, fallback or apprentice
    is_frozen: bool
    off: list[str]  # names of arms
    share: float  # of exploration
    is_ready: bool  # false while a failed write is repaired
    decisions_per_second: float  # over the last 10 seconds
    rewards_per_second: float
    open: int
    held: int
    waiting: int  # rewards whose decision is not known
    queue: int  # events that are not durable yet
    commit_p99: float | None  # seconds, over the last 1,000 commits
    branches: dict[str, int]  # decisions in all
    statuses: dict[str, int]  # rewards in all, by what they were: learnt, late, duplicate ...
    expired: int  # decisions that ran out, in all
    delays: Delays
    last: Moments  # the last two seconds, the one that is over first: replace these in the past
    belief: Belief | None  # None until something can be told
    changes: list[Change]  # those of the last 10 seconds
    recent: list[Recent]  # the newest first
    shadows: list[Standing]  # how they do
    epoch: int | None  # one more with each owner, where several nodes share the log


class Past(msgspec.Struct):
    """All that a page shows when it opens."""

    head: Head
    seconds: Moments  # of the last 10 minutes
    minutes: Moments  # of the last day
    hours: Moments  # of the last 90 days
    changes: list[Change]
    now: Beat
