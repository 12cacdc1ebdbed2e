"""What is asked and what is answered: the same structures for the engine, HTTP and the client."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import msgspec

__all__ = [
    "ControlRequest",
    "DecisionReply",
    "DecisionRequest",
    "RefusalError",
    "RewardReply",
    "RewardRequest",
    "mark_of",
    "moment",
]

Id = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.:-]{1,64}(?!\n)$")
]  # $ alone lets a line end
Short = Annotated[str, msgspec.Meta(max_length=200)]
Why = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]  # for the log
Arm = Annotated[int, msgspec.Meta(ge=0, le=2**31)] | Short
_canonical = msgspec.msgpack.Encoder(order="sorted").encode


class RefusalError(Exception):
    """A request that is refused; nothing has changed.

    Parameters
    ----------
    status
        As HTTP numbers it.
    detail
        What is wrong, in one sentence.
    retry_after
        Seconds, where the same request may succeed later.
    owner
        The address of the node that answers instead; empty where there is none.
    """

    def __init__(
        self, status: int, detail: str, retry_after: int | None = None, owner: str = ""
    ) -> None:
        super().__init__(status, detail, retry_after, owner)
        self.status, self.detail, self.retry_after, self.owner = status, detail, retry_after, owner

    def __str__(self) -> str:
        return self.detail


class DecisionRequest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Ask for a decision."""

    id: Id | None = None  # of your own: a retry then gets the same decision
    context: dict[str, Any] | None = None  # a value for each field that the problem declares
    actions: list[Any] | dict[str, Any] | None = None  # rows, or features, where there are no arms
    baseline: Arm | None = None  # what you would play; played in mode apprentice
    off: list[Arm] = []  # what must not be played this time
    user: Short | None = None  # who keeps the arm that was played for them first


class DecisionReply(msgspec.Struct):
    """A decision."""

    id: str
    arm: int  # from 0
    name: str | None  # of the arm
    propensity: float | None  # with which this arm was played; null: only the caller knows
    branch: Literal["policy", "explore", "baseline", "forced", "sticky"]  # who chose
    version: str  # of problem and policy
    seq: int  # of its event in the log
    expires: str  # a reward counts until then
    repeated: bool = False  # this id was decided before: it is the same decision
    would: int | None = None  # what the policy would have played, in mode apprentice


class RewardRequest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Tell what came of a decision."""

    id: Id
    reward: float
    part: Short = ""  # of a reward that comes in several; different for each
    final: bool = False  # no more parts will come
    at: str | None = None  # when it happened, if not now


class RewardReply(msgspec.Struct, omit_defaults=True):
    """What a reward was taken for."""

    id: str
    status: Literal["learnt", "noted", "held", "late", "waiting", "duplicate"]
    seq: int | None = None  # of its event; none for a duplicate, which is no event
    agrees: bool = True  # a duplicate with the same value


class ControlRequest(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Change how the service behaves; what is left out stays."""

    why: Why
    mode: Literal["normal", "fallback", "apprentice"] | None = None
    freeze: bool | None = None
    held: Literal["learn", "drop"] = "learn"  # at a thaw: what to do with rewards that were held
    off: list[Arm] | None = None  # arms that are not played; all that shall be off
    exploration: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] | None = None


def mark_of(request: DecisionRequest) -> bytes:
    """Return a digest that a retry has, too; or refuse what no event can hold."""
    try:
        return hashlib.blake2b(_canonical(request), digest_size=16).digest()
    except OverflowError:
        raise RefusalError(422, "integers must have at most 64 bits, got a larger one") from None


def moment(name: str, text: str | None) -> int | None:
    """Return an ISO 8601 time as microseconds since 1970, or refuse it."""
    if text is None:
        return None
    from ..logs.event import seconds

    try:
        return round(seconds(name, text) * 1e6)
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusalError(422, str(error)) from None
