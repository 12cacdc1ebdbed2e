"""A log checked: every choice made again, and every memory that an operation made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from .events import DamageError, Decided, LeftOut, Operated, Row, event_of
from .problem.settings import Problem
from .rebuilding import Rebuilding
from .records import numbers_in
from .state import State

__all__ = ["Verified", "verify", "verify_all"]

_encode = msgspec.msgpack.Encoder().encode
Read = Callable[[int, int], Iterable[Row]]  # rows above one seq, up to another


class Verified(NamedTuple):
    """What was checked, and what cannot be any more."""

    state: State
    choices: int  # made again, all the same
    erased: int  # decisions whose rows are gone
    blurred: int  # others that were made between an erased one and its erasure
    operations: int  # whose memory was made again, the same
    unverifiable: int  # operations whose memory rests on erased or archived rows
    archived: int  # events up to this seq were taken as the archive tells them


def verify(problem: Problem, rows: Iterable[Row]) -> tuple[State, int]:
    """Apply all rows, make every choice again, and compare; return how many were compared.

    Raises
    ------
    DamageError
        At the first choice, propensity, luck or digest that differs.
    """
    found = verify_all(problem, rows)
    return found.state, found.choices


def verify_all(
    problem: Problem, rows: Iterable[Row], base: State | None = None, read: Read | None = None
) -> Verified:
    """Apply all rows, make every choice and memory again, and compare.

    Parameters
    ----------
    problem, rows
        What the log is of, and the log.
    base
        The state before the first row, if that is not the beginning.
    read
        Reads rows again, for memories that operations made anew; without, these are taken as they are.
    """
    state = State(problem) if base is None else base
    first = state.seq
    choices = erased = blurred = operations = unverifiable = 0
    for row in rows:
        event = event_of(row)
        body = event.body
        made = None
        if type(body) is not Decided:
            pass
        elif body.is_erased:
            erased += 1
        elif state.is_blurred:
            blurred += 1
        elif body.is_whole:
            played = state.learner.decide_again(body)
            made = played.made
            again = msgspec.structs.replace(
                body, row=played.row, arm=played.arm, own=played.own, propensity=played.propensity,
                branch=played.branch, share=played.share, luck=made.luck,
                record=numbers_in(made.choice),
            )  # fmt: skip
            if _encode(again) != row.body:
                raise DamageError(
                    f"event {row.seq}: the choice must be the same again, got another"
                )
            choices += 1
        if isinstance(body, Operated) and body.what != "erase":
            is_made_again = False
            if read is not None and first == 0:
                is_made_again = _is_made_again(problem, state, body, read(0, row.seq - 1))
            operations += is_made_again
            unverifiable += not is_made_again
        state.apply(event, row.body, made)
    return Verified(state, choices, erased, blurred, operations, unverifiable, first)


def _is_made_again(problem: Problem, state: State, body: Operated, rows: Iterable[Row]) -> bool:
    """Return whether a memory could be made again; raise if it is another one."""
    left_out: list[LeftOut] = state.left_out + body.left_out
    more = [] if body.problem is None else [(state.seq + 1, body.problem)]
    own = body.policy or state.settings
    again = Rebuilding(problem, own, left_out, grown=[*state.grown, *more])
    again.take(rows)
    if again.comparison.lost:
        return False
    if again.learner.agent.to_bytes() != body.memory:
        raise DamageError(f"event {state.seq + 1}: the memory must be the same again, got another")
    return True
