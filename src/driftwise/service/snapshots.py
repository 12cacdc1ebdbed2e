"""A state as bytes, so that a service need not begin with the first event of its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from .. import __version__
from ..core.engine.agent import Agent
from .events import SCHEMA, DamageError, LeftOut, body_of
from .problem.settings import Problem
from .state import State
from .tally import Tally
from .versions import is_foreign

__all__ = ["Decisions", "state_bytes", "state_from"]

# The id and the bytes of decisions, by their seq.
Decisions = Callable[[list[int]], dict[int, tuple[str, bytes]]]


def state_bytes(state: State, rings: bytes = b"") -> bytes:
    """Return a snapshot: everything but the bytes of decisions, which are in the log.

    Parameters
    ----------
    rings
        What pages show of the past: kept here, and no part of the state.
    """
    return msgspec.msgpack.encode(
        {
            "schema": SCHEMA,
            "versions": {"driftwise": __version__},
            "policy": state.learner.fingerprint,
            "seq": state.seq,
            "t": state.t,
            "agent": state.learner.agent.to_bytes(),
            "learner": state.learner.as_plain(),
            "ledger": state.ledger.as_plain(),
            "held": [(body_of(content).seq, value) for _, content, value in state.held],
            "counts": dict(state.counts),
            "tally": msgspec.to_builtins(state.tally),
            "key_changes": state.key_changes,
            "grown": state.grown,
            "settings": state.settings,
            "left_out": msgspec.to_builtins(state.left_out),
            "carried": [(seq, *known) for seq, known in state.carried.items()],
            "digest": state.digest,
            "rings": rings,
        }
    )


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
        state.is_blurred = is_foreign(plain.get("versions", {}))  # so are the events behind it
        state.rings = plain.get("rings", b"")
        state.key_changes = plain.get("key_changes", 0)
        state.left_out = msgspec.convert(plain.get("left_out", []), list[LeftOut])
        state.carried = {seq: (luck, record) for seq, luck, record in plain.get("carried", [])}
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise DamageError(f"a snapshot must be as it was written: {error!r}") from None
    if state.digest != plain["digest"]:
        raise DamageError("a snapshot must have the digest that was written, got another one")
    return state
