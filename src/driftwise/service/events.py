"""The kinds of events in a log, and their bytes; nothing else knows how they are written.

Every fact that the state needs enters as a field of an event: time, ids, luck, what was judged. Old
bytes stay readable: fields are added at the end, with a default, and tags are never used again.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import msgspec

__all__ = [
    "ARCHIVED",
    "DECIDED",
    "EXPIRED",
    "MACHINE",
    "OPERATED",
    "REWARDED",
    "SCHEMA",
    "Archived",
    "Begun",
    "Body",
    "Branch",
    "Checked",
    "Controlled",
    "DamageError",
    "Decided",
    "Event",
    "Expired",
    "LeftOut",
    "Machine",
    "Operated",
    "Rewarded",
    "Row",
    "Status",
    "body_of",
    "erased_name",
    "event_of",
    "is_erased_name",
    "machine_of",
    "row_of",
    "seq_of",
]

SCHEMA = 1  # of events and snapshots
BEGUN, DECIDED, REWARDED, EXPIRED, CONTROLLED, CHECKED, MACHINE = range(7)  # kinds, and tags
OPERATED, ARCHIVED = 10, 11


class Branch:
    """Who chose: names of the integers that an event holds."""

    NAMES = ("policy", "explore", "baseline", "forced", "sticky")
    POLICY, EXPLORE, BASELINE, FORCED, STICKY = range(5)


class Status:
    """What became of a reward: names of the integers that an event holds."""

    NAMES = ("learnt", "noted", "held", "late", "late and learnt", "waiting")
    LEARNT, NOTED, HELD, LATE, LATE_LEARNT, WAITING = range(6)


class DamageError(Exception):
    """A log or a snapshot that is not what was written: it is never served from."""


class Begun(msgspec.Struct, frozen=True, array_like=True, tag=BEGUN):
    """The first event: what the problem is, and with what it began."""

    problem: str  # the file
    policy: str  # its fingerprint
    seed: int
    secret: bytes  # with which ids made by the server are signed
    schema: int
    versions: dict[str, str]


class Decided(msgspec.Struct, frozen=True, array_like=True, tag=DECIDED):
    """A decision: what was offered, what was played, and how probable that was."""

    seq: int  # its own, so that the bytes of an open decision say all
    deadline: int  # microseconds; no reward counts after it
    rows: bytes  # (m, d) floats that were offered; empty if the problem fixes them
    offered: list[int] | None  # arms of these rows, in order; None: all
    row: int  # of those offered
    arm: int
    propensity: float | None
    branch: int
    own: int  # the row that the policy chose
    luck: int
    record: list[Any]  # the numbers in the policy's own record of the choice
    share: float  # of exploration
    as_of: int  # the seq whose state chose
    request: bytes  # digest: a retry has the same
    names: list[str] | None = None  # of actions that came with the request
    context: dict[str, Any] | None = None  # kept only if the problem says so
    is_whole: bool = True  # or rows hold nothing but the one that was played
    is_erased: bool = False  # rows, context, names and digests of the request and the user are gone
    user: bytes = b""  # a digest with the log's secret; empty: nobody keeps this arm


class _Numbered(msgspec.Struct, frozen=True, array_like=True, tag=DECIDED, gc=False):
    """The first field of a decision; what follows is skipped."""

    seq: int


class Rewarded(msgspec.Struct, frozen=True, array_like=True, tag=REWARDED):
    """A reward, and what it was judged to be when it came."""

    value: float
    status: int
    part: str = ""
    is_final: bool = False
    at: int | None = None  # microseconds: when it happened, if the sender says so


class Expired(msgspec.Struct, frozen=True, array_like=True, tag=EXPIRED):
    """Decisions whose window has closed; rewards that waited for as long are dropped, too."""

    ids: list[str]


class Controlled(msgspec.Struct, frozen=True, array_like=True, tag=CONTROLLED):
    """Somebody has changed how the service behaves; None leaves as it was."""

    who: str
    why: str
    mode: str | None = None
    is_frozen: bool | None = None
    drops_held: bool = False  # at a thaw: forget what was held instead of learning it
    off: list[int] | None = None
    share: float | None = None
    what: str = ""  # of changes outside of the state, such as keys
    key_change: int = 0  # its number, where keys are


class Checked(msgspec.Struct, frozen=True, array_like=True, tag=CHECKED):
    """The digest of the state just before: a replay must come to the same."""

    digest: str


class Machine(msgspec.Struct, frozen=True, array_like=True, tag=MACHINE):
    """What runs the service from here on; it explains, and changes nothing."""

    versions: dict[str, str]
    t: int  # service time, and the machine's uptime then: see `clock.Anchor`
    boot: str
    uptime: int


class LeftOut(msgspec.Struct, frozen=True, array_like=True):
    """Rewards that are not learnt: those for which all that is said here holds; None says nothing."""

    first: int | None = None  # seq of the event by which a decision was settled
    last: int | None = None
    since: int | None = None  # microseconds: when it was settled
    until: int | None = None
    made: list[int] | None = None  # seqs of decisions, not their ids, which may have to be erased
    arm: int | None = None
    made_first: int | None = None  # seq of the decision
    made_last: int | None = None

    def holds(self, body: Decided, seq: int, t: int) -> bool:
        """Return whether a decision that is settled by event ``seq`` at ``t`` is among them."""
        return (
            _is_within(seq, self.first, self.last)
            and _is_within(t, self.since, self.until)
            and _is_within(body.seq, self.made_first, self.made_last)
            and (self.made is None or body.seq in self.made)
            and (self.arm is None or body.arm == self.arm)
        )


class Operated(msgspec.Struct, frozen=True, array_like=True, tag=OPERATED):
    """Somebody has changed what is remembered; the event holds the memory from here on.

    So what follows can be replayed by itself, also when rows before it are erased or archived.
    """

    who: str
    why: str
    what: str  # policy, rewind, censor, erase or extend
    memory: bytes  # the agent from here on
    policy: dict[str, Any] | None = None  # as in a problem file; None: as before
    left_out: list[LeftOut] = []  # in addition to what already is
    carried: list[
        tuple[int, int, list[Any]]
    ] = []  # open decisions as this agent knows them: seq, luck, record
    held: list[int] | None = None  # seqs of decisions that stay held; None: all
    erased: list[int] = []  # seqs of decisions
    rows: list[int] = []  # seqs of all rows that say something about these
    problem: str | None = None  # the file, if it declares more from here on; None: as before


class Archived(msgspec.Struct, frozen=True, array_like=True, tag=ARCHIVED):
    """Rows were moved to a file; the state after the last of them takes their place."""

    who: str
    why: str
    until: int  # the last seq that was moved; 0: all that was moved before is back
    state: bytes  # after it, as a snapshot
    kept: list[int]  # seqs of decisions that were open then, whose rows stay
    file: str  # its name
    digest: str  # SHA-256 of the file


Body = Begun | Decided | Rewarded | Expired | Controlled | Checked | Machine | Operated | Archived


class Event(NamedTuple):
    """One thing that happened."""

    seq: int  # 1, 2, 3, ... without gaps
    t: int  # microseconds since 1970, never decreasing
    id: str  # of the decision; empty where it is about none, or several
    body: Body


class Row(NamedTuple):
    """An event as a store keeps it."""

    seq: int
    kind: int
    id: str
    t: int
    crc: int
    body: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode: Any = msgspec.msgpack.Decoder(Body).decode
_decode_decided: Any = msgspec.msgpack.Decoder(Decided).decode
_decode_numbered: Any = msgspec.msgpack.Decoder(_Numbered).decode


def row_of(event: Event) -> Row:
    """Return an event as bytes."""
    seq, t, name, content = event
    body = _encode(content)
    kind: int = content.__struct_config__.tag  # type: ignore[assignment]  # an integer in all of ours
    return Row(seq, kind, name, t, _crc(seq, kind, name, t, body), body)


def event_of(row: Row) -> Event:
    """Return the event of a row, or say that the row is damaged."""
    seq, kind, name, t, crc, body = row
    # A page of zeros reads as a row of nothing.
    if not isinstance(body, bytes) or crc != _crc(seq, kind, name, t, body):
        raise DamageError(f"event {seq} must have the checksum that was written, got another one")
    try:
        content: Body = _decode(body)
    except msgspec.MsgspecError as error:
        raise DamageError(f"event {seq} cannot be read by this version: {error}") from None
    return Event(seq, t, name, content)


def machine_of(row: Row) -> Machine:
    """Return the event of a row that says what ran."""
    body = event_of(row).body
    assert isinstance(body, Machine)
    return body


def erased_name(seq: int) -> str:
    """Return the id of a decision, or of a reward without one, whose own was erased; no client can send it."""
    return f"~{seq}"


def is_erased_name(name: str) -> bool:
    """Return whether an id is one of those."""
    return name.startswith("~")


def body_of(content: bytes) -> Decided:
    """Return the decision of which an open entry keeps the bytes."""
    return _decode_decided(content)  # type: ignore[no-any-return]  # a decoder of that type


def seq_of(content: bytes) -> int:
    """Return the seq of a decision, without reading the rest of its bytes."""
    return _decode_numbered(content).seq  # type: ignore[no-any-return]  # a decoder of that type


def _is_within(value: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _crc(seq: int, kind: int, name: str, t: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(f"{seq} {kind} {t} {name}".encode()))
