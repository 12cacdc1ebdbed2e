"""What some endpoints take and answer, as classes that the OpenAPI document is made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from ..requests import DecisionReply
from ..shadows.scoring import Standing

__all__ = [
    "BeliefReply",
    "DecisionState",
    "DecisionsReply",
    "DecisionsRequest",
    "Health",
    "ProblemState",
    "RewardsReply",
    "RewardsRequest",
    "Told",
]


def _many(name: str, most: int) -> msgspec.Meta:
    """Return the schema of a list of requests, each of which is read by itself: one that is wrong stops no other."""
    items = {"items": {"$ref": f"#/components/schemas/{name}"}}
    return msgspec.Meta(max_length=most, extra_json_schema=items)


def _either(name: str) -> msgspec.Meta:
    """Return the schema of a list of replies, or of what is wrong, in their place."""
    refs = [{"$ref": f"#/components/schemas/{each}"} for each in (name, "Problem")]
    return msgspec.Meta(extra_json_schema={"items": {"anyOf": refs}})


class DecisionsRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Several decisions at once."""

    requests: Annotated[list[msgspec.Raw], _many("DecisionRequest", 100)]


class DecisionsReply(msgspec.Struct):
    """A decision, or what is wrong, for each request in order."""

    decisions: Annotated[list[Any], _either("DecisionReply")]


class RewardsRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Several rewards at once."""

    rewards: Annotated[list[msgspec.Raw], _many("RewardRequest", 1000)]


class RewardsReply(msgspec.Struct):
    """What each reward was taken for, or what is wrong, in order."""

    results: Annotated[list[Any], _either("RewardReply")]


class Told(msgspec.Struct):
    """One reward of a decision, as it came."""

    seq: int
    reward: float
    status: str
    part: str = ""


class DecisionState(msgspec.Struct):
    """A decision, what became of it, and its rewards."""

    decision: DecisionReply
    state: Literal["open", "overdue", "rewarded", "expired"]  # overdue: may still be learnt
    rewards: list[Told]


class ProblemState(msgspec.Struct):
    """How a problem does."""

    problem: str
    policy: str
    version: str
    mode: str
    is_frozen: bool
    is_ready: bool
    off: list[str]
    exploration: float
    seq: int
    open: int
    held: int
    waiting: int
    decisions: dict[str, int]
    rewards: dict[str, int]
    expired: int
    digest: str
    shadows: list[Standing] = []


class BeliefReply(msgspec.Struct):
    """What the policy believes, as `Agent.explain` tells it; rewards are scaled to [0, 1]."""

    seq: int
    belief: dict[str, Any]


class Health(msgspec.Struct):
    """Whether the process answers, or may be asked."""

    status: str
