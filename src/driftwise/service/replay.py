"""From a log to the state: a fold, from its beginning, from a snapshot, or from where its archive ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .events import Archived, Begun, DamageError, Machine, Row, event_of
from .files import files_in, problem_at_first
from .problem.settings import Problem
from .snapshots import state_from
from .state import State
from .stores.protocol import Log

__all__ = [
    "Recovered",
    "archived_state",
    "begun_in",
    "last_archive",
    "recovered",
    "replay",
]


class Recovered(NamedTuple):
    """What a log says when a service starts."""

    state: State
    begun: Begun | None  # None: the log is empty
    machine: Machine | None  # what ran last
    n_events: int  # that were replayed
    faults: list[str]  # snapshots that could not be used
    problem: Problem  # as it was when the log began


def replay(state: State, rows: Iterable[Row]) -> State:
    """Apply rows that follow a state."""
    for row in rows:
        event = event_of(row)
        state.apply(event, row.body)
    return state


def recovered(problem: Problem, store: Log) -> Recovered:
    """Return the state at the end of a log: by the newest snapshot that can be used, or by all events."""
    begun, given = begun_in(store), problem
    if begun is not None:
        problem = problem_at_first(given, files_in(begun, store))
    faults = []
    state: State | None = None
    archive = last_archive(store)
    for snapshot in store.snapshots():
        if archive is not None and snapshot.seq < archive.until:
            break  # what came after it, and those before, is not in the log any more
        try:
            state = state_from(problem, snapshot.content, store.decisions)
            break
        except DamageError as error:
            faults.append(f"snapshot {snapshot.seq} is left out: {error}")
    if state is None:
        state = archived_state(problem, store) or State(problem)
    before, machine = state.seq, store.last_machine()
    replay(state, store.read(after=before))
    if given.policy not in (problem.policy, state.problem.policy):
        raise ValueError(
            f"[policy] of the problem file must be the policy in use, {state.problem.policy!r}, got "
            f"{given.policy!r}; change it with `driftwise service policy`"
        )
    return Recovered(state, begun, machine, state.seq - before, faults, problem)


def begun_in(store: Log) -> Begun | None:
    """Return the first event of a log; None if it is empty."""
    for row in store.read(until=1):
        first = event_of(row).body
        if not isinstance(first, Begun):
            raise DamageError(f"a log must start with its problem, got {first!r}")
        return first
    return None


def archived_state(problem: Problem, store: Log) -> State | None:
    """Return the state at which a log begins whose rows before are archived; None if all are there.

    Some of these rows may be there still, or again, if somebody was killed while they were moved.
    """
    body = last_archive(store)
    if body is None:
        return None
    return state_from(problem, body.state, store.decisions)


def last_archive(store: Log) -> Archived | None:
    """Return the last event by which rows were archived, unless they were restored since."""
    for row in reversed(store.operations()):
        body = event_of(row).body
        if isinstance(body, Archived):
            return body if body.until else None
    return None
