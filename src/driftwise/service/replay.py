"""From a log to the state: a fold, from its beginning or from a snapshot; and the same with a check."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from .events import Begun, DamageError, Decided, Machine, Row, event_of
from .learner import numbers_in
from .problem.settings import Problem
from .state import State
from .stores.protocol import Store

__all__ = ["Recovered", "recovered", "replay", "verify"]


class Recovered(NamedTuple):
    """What a log says when a service starts."""

    state: State
    begun: Begun | None  # None: the log is empty
    machine: Machine | None  # what ran last
    n_events: int  # that were replayed
    faults: list[str]  # snapshots that could not be used


def replay(state: State, rows: Iterable[Row]) -> State:
    """Apply rows that follow a state."""
    for row in rows:
        event = event_of(row)
        state.apply(event, row.body)
    return state


def verify(problem: Problem, rows: Iterable[Row]) -> tuple[State, int]:
    """Apply all rows, make every choice again, and compare; return how many were compared.

    Raises
    ------
    DamageError
        At the first choice, propensity, luck or digest that differs.
    """
    state, n_verified = State(problem), 0
    for row in rows:
        event = event_of(row)
        body = event.body
        made = None
        if isinstance(body, Decided) and body.is_whole:
            played = state.learner.decide_again(body)
            made = played.made
            again = msgspec.structs.replace(
                body, row=played.row, arm=played.arm, own=played.own, propensity=played.propensity,
                branch=played.branch, share=played.share, luck=made.luck,
                record=numbers_in(made.choice),
            )  # fmt: skip
            if msgspec.msgpack.encode(again) != row.body:
                raise DamageError(
                    f"event {row.seq}: the choice must be the same again, got another"
                )
            n_verified += 1
        state.apply(event, row.body, made)
    return state, n_verified


def recovered(problem: Problem, store: Store) -> Recovered:
    """Return the state at the end of a log: by the newest snapshot that can be used, or by all events."""
    begun: Begun | None = None
    for row in store.read(until=1):
        first = event_of(row).body
        if not isinstance(first, Begun):
            raise DamageError(f"a log must start with its problem, got {first!r}")
        begun = first
        _require_same(problem, begun)
    faults = []
    state: State | None = None
    for snapshot in store.snapshots():
        try:
            state = State.from_bytes(problem, snapshot.content, store.decisions)
            break
        except DamageError as error:
            faults.append(f"snapshot {snapshot.seq} is left out: {error}")
    state = State(problem) if state is None else state
    before, machine = state.seq, store.last_machine()
    replay(state, store.read(after=before))
    return Recovered(state, begun, machine, state.seq - before, faults)


def _require_same(problem: Problem, begun: Begun) -> None:
    if tomllib.loads(begun.problem) != tomllib.loads(problem.text):  # comments may change
        raise ValueError(
            "problem file must be the one with which the log began, got another; move the log "
            "away to begin anew"
        )
