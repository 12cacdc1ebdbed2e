"""A state as bytes, so that a service need not begin with the first event of its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, ItemsView, Iterator
from itertools import chain, islice
from typing import Any

import msgspec

from .. import __version__
from ..core.engine.agent import Agent
from .events import SCHEMA, DamageError, LeftOut, is_erased_name, seq_of
from .problem.settings import Problem
from .state import State
from .tally import Tally
from .versions import is_foreign

__all__ = ["Decisions", "Taken", "state_bytes", "state_from"]

_PIECE = 1000  # items: a fraction of a millisecond
_ARRAY, _MAP = b"\xdd", b"\xdf"  # of msgpack, with a length in 32 bits

# The id and the bytes of decisions, by their seq.
Decisions = Callable[[list[int]], dict[int, tuple[str, bytes]]]
_encode = msgspec.msgpack.Encoder().encode


def state_bytes(state: State, rings: bytes = b"") -> bytes:
    """Return a snapshot; `Taken` says of what."""
    taken = Taken(state, rings)
    for _ in taken:
        pass
    return taken.content


class Taken:
    """A state as it is now, to be encoded piece by piece while it goes on: everything but the bytes of decisions.

    Those are in the log. What grows with the number of decisions is copied, which takes a millisecond
    for 100,000 of them; to encode it takes 40, for which nobody should have to wait.

    Parameters
    ----------
    state
        Of which.
    rings
        What pages show of the past: kept here, and no part of the state.
    """

    def __init__(self, state: State, rings: bytes = b"") -> None:
        held, carried = state.held.copy(), state.carried.copy()
        self._plain: dict[str, Any] = {
            "schema": SCHEMA,
            "versions": {"driftwise": __version__},
            "policy": state.learner.fingerprint,
            "seq": state.seq,
            "t": state.t,
            "agent": state.learner.agent.to_bytes(),
            "learner": state.learner.as_plain()
            | {"users": iter(state.learner.users.copy().items())},
            "ledger": state.ledger.as_plain(),
            "held": ((seq_of(content), value) for _, content, value in held),
            "counts": dict(state.counts),
            "tally": msgspec.to_builtins(state.tally),
            "key_changes": state.key_changes,
            "grown": state.grown.copy(),
            "settings": state.settings,
            "left_out": msgspec.to_builtins(state.left_out),
            "carried": ((seq, *known) for seq, known in carried.items()),
            "digest": state.digest,
            "rings": rings,
        }
        self.seq, self.t = state.seq, state.t
        self.content = b""  # until all is encoded

    def __iter__(self) -> Iterator[None]:
        """Encode; one is as free to do something else after each piece."""
        plain = self._plain
        for part in (plain["learner"], plain["ledger"], plain):
            for key, value in part.items():
                if isinstance(value, Iterator | ItemsView):
                    part[key] = yield from _encoded(value)
        self.content = _encode(plain)


def _encoded(items: Iterator[Any] | ItemsView[Any, Any]) -> Generator[None, None, msgspec.Raw]:
    """Encode what is to be an array, or a map if it has keys."""
    is_map, count, pieces, left = isinstance(items, ItemsView), 0, [b""], iter(items)
    while some := list(islice(left, _PIECE)):
        count += len(some)
        pieces.append(b"".join(map(_encode, chain.from_iterable(some) if is_map else some)))
        yield
    pieces[0] = (_MAP if is_map else _ARRAY) + count.to_bytes(4, "big")
    return msgspec.Raw(b"".join(pieces))


def state_from(problem: Problem, content: bytes, decisions: Decisions) -> State:
    """Return the state of a snapshot, or say that it is damaged or of another policy.

    Parameters
    ----------
    problem, content
        What the snapshot is of, and the snapshot.
    decisions
        Finds the decisions of the log that are still open.
    """
    try:
        plain: dict[str, Any] = msgspec.msgpack.decode(content)
        state = State(problem)
        for last, text in plain.get("grown", []):
            state.grow(last, text)
        if plain.get("settings") is not None:
            state.switch(plain["settings"])
        if (plain["schema"], plain["policy"]) != (SCHEMA, state.learner.fingerprint):
            raise DamageError("a snapshot must be of the same policy and version, got another")
        ledger, held = plain["ledger"], plain["held"]
        found = decisions([*ledger["open"], *ledger["overdue"], *(seq for seq, _ in held)])
        state.seq, state.t = plain["seq"], plain["t"]
        agent = Agent.from_bytes(plain["agent"], policy=None)
        state.learner.fill(plain["learner"], agent)
        state.ledger.fill(ledger, found)
        state.held = [(*found[seq], value) for seq, value in held]
        state.counts = Counter(plain["counts"])
        state.tally = msgspec.convert(plain["tally"], Tally)
        # So are the events behind it, and those after which something was erased that was open then.
        is_erased = any(is_erased_name(name) for name, _ in found.values())
        state.is_blurred = is_erased or is_foreign(plain.get("versions", {}))
        state.rings = plain.get("rings", b"")
        state.key_changes = plain.get("key_changes", 0)
        state.left_out = msgspec.convert(plain.get("left_out", []), list[LeftOut])
        state.carried = {seq: (luck, record) for seq, luck, record in plain.get("carried", [])}
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise DamageError(f"a snapshot must be as it was written: {error!r}") from None
    if state.digest != plain["digest"]:
        raise DamageError("a snapshot must have the digest that was written, got another one")
    return state
