"""A log as `driftwise.Log` reads it: decisions with their propensities, and rewards that join them.

On demand it tells what people did instead, with who and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ..core.contract.decision import Decision
from .controls import told_of
from .events import Archived, Branch, Controlled, Decided, Operated, Row, event_of
from .files import files_in
from .learner import Learner
from .problem.settings import Problem
from .replay import archived_state, begun_in
from .state import State
from .stores.protocol import Log

__all__ = ["KINDS", "events_of", "lines_of"]

KINDS = ("decided", "rewarded", "controlled")
_OFFERED = KINDS[:2]  # what is told unless something else is asked for

_encode = msgspec.json.Encoder().encode


def lines_of(
    problem: Problem,
    log: Log,
    after: int = 0,
    until: int | None = None,
    kinds: Sequence[str] = _OFFERED,
) -> Iterator[bytes]:
    """Yield JSON Lines of what is not archived, some hundred at a time.

    Parameters
    ----------
    problem, log
        The problem as it was when the log began, and the log.
    after, until, kinds
        The seq after which events are wanted, the last one, and of which kinds.
    """
    base, some = archived_state(problem, log), list[bytes]()
    rows = log.read(after=0 if base is None else base.seq, until=until)
    begun = begun_in(log)
    more = [] if begun is None else files_in(begun, log)[1:]
    for event in events_of(problem, rows, after, kinds, base, more):
        some.append(_encode(event))
        if len(some) == 500:
            yield b"\n".join(some) + b"\n"
            some = []
    if some:
        yield b"\n".join(some) + b"\n"


def events_of(
    problem: Problem,
    rows: Iterable[Row],
    after: int = 0,
    kinds: Sequence[str] = _OFFERED,
    base: State | None = None,
    more: Sequence[tuple[int, str]] = (),
) -> Iterator[dict[str, Any]]:
    """Yield the decisions of a log, and each settled reward as a row by itself, in their order.

    Parameters
    ----------
    problem, rows
        What the log is of, and all of it: what a reward is depends on what came before.
    after
        The seq after which events are wanted.
    kinds
        Of `KINDS`; ``"controlled"`` is what people did, and no row of a `driftwise.Log`.
    base
        The state before the first row, if that is not the beginning.
    more
        Files that declare more, each from after an event: rows before it are widened, so that all are alike.
    """
    outcomes = _Outcomes(problem)
    if base is not None:
        vars(outcomes).update(vars(base))
    for last, text in more[len(outcomes.grown) :]:
        outcomes.grow(last, text)
    for row in rows:
        event = event_of(row)
        outcomes.apply(event, row.body)
        settled, outcomes.settled = outcomes.settled, []
        if row.seq <= after:
            continue
        body = event.body
        if isinstance(body, Decided) and not body.is_erased and "decided" in kinds:
            yield _decision(outcomes.learner, event.id, event.t, body)
        if "rewarded" in kinds:
            for name, value in settled:
                yield {"event_id": name, "reward": value, "reward_time": event.t / 1e6}
        if isinstance(body, Controlled | Operated | Archived) and "controlled" in kinds:
            yield {
                "seq": row.seq, "time": event.t / 1e6, "who": body.who, "what": told_of(body, outcomes.problem.arms),
                "why": body.why,
            }  # fmt: skip


class _Outcomes(State):
    """A state that learns nothing and tells what would be learnt."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.settled: list[tuple[str, float]] = []

    def _decided(self, name: str, body: Decided, content: bytes, made: Decision | None) -> None:
        super()._decided(name, body, content, _NOTHING)

    def _learn(self, name: str, content: bytes, body: Decided, value: float) -> Decided:
        self.settled.append((name, value))
        return body

    def _give_up(self, body: Decided) -> None:
        pass

    def _operated(self, body: Operated) -> None:
        super()._operated(msgspec.structs.replace(body, problem=None))  # which holds already

    def _is(self, digest: str) -> bool:
        return True  # that of an agent that has learnt


_NOTHING: Any = object()  # a decision that need not be told to anybody


def _decision(learner: Learner, name: str, t: int, body: Decided) -> dict[str, Any]:
    found: dict[str, Any] = {
        "event_id": name,
        "time": t / 1e6,
        "action": body.row if body.is_whole else 0,
        "branch": Branch.NAMES[body.branch],
        "luck": body.luck,
        "policy": learner.fingerprint,
    }
    if body.propensity is not None:
        found["propensity"] = body.propensity
    if body.context is not None:
        found["context"] = body.context
    if body.is_whole:
        names = body.names or learner.problem.arms
        rows, offered = learner.offer_in(body)
        if names:
            found["actions"] = [names[arm] for arm in offered]
        found["decision_set"] = rows.tolist()
        if (chances := _chances(body, len(found["decision_set"]), learner)) is not None:
            found["propensities"] = chances
    return found


def _chances(body: Decided, m: int, learner: Learner) -> list[float] | None:
    """Return the probabilities of all rows, where the event tells."""
    if body.branch in (Branch.FORCED, Branch.STICKY):
        return [float(row == body.row) for row in range(m)]
    if body.branch == Branch.BASELINE or body.share == 0.0 or learner.keeps_chances:
        return None
    return [
        learner.mixed(float(row == body.own), float(body.own < 0), m, body.share)
        for row in range(m)
    ]
