"""One order for everything: a request becomes an event, which is applied and queued to be written."""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from .clock import Clock, wall
from .events import (
    DECIDED,
    SCHEMA,
    Archived,
    Begun,
    Body,
    Branch,
    Checked,
    Controlled,
    Decided,
    Event,
    Expired,
    Machine,
    Operated,
    Rewarded,
    Row,
    Status,
    body_of,
    event_of,
    row_of,
)
from .ids import Ids
from .offers import arms_in, names_in, offer_of
from .played import NothingOnOfferError
from .problem.settings import Problem
from .records import numbers_in
from .requests import (
    ControlRequest,
    DecisionReply,
    DecisionRequest,
    RefusalError,
    RewardReply,
    RewardRequest,
    mark_of,
    moment,
)
from .state import State
from .versions import version_of, versions

__all__ = ["Engine"]

_CHECK_EVERY = 10_000  # events between two digests

_BY_SOMEBODY = (Controlled, Operated, Archived)
Find = Callable[[str], list[Row]]


class Engine:
    """Makes events of requests. What it returns may be told only when the queue is durable.

    Parameters
    ----------
    problem
        What is decided.
    state
        That of the log so far, at whose end new events are queued.
    begun
        The first event of that log; None for a new one, which then begins here.
    find
        Returns the durable rows about a decision that the ledger no longer knows.
    clock
        Service time.
    """

    def __init__(
        self, problem: Problem, state: State, begun: Begun | None, find: Find, clock: Clock
    ) -> None:
        self.problem, self.state, self.clock = problem, state, clock
        self._find = find
        self.is_torn = False  # memory has changed, and the event that says so is not queued yet
        self.queue: list[Row] = []  # applied, and not yet handed to the store
        self.writing: list[Row] = []  # handed to the store, and not yet durable
        self.recent: deque[Row] = deque(maxlen=20)
        self.on_control: Callable[[int, Controlled | Operated | Archived], None] | None = None
        # What pages show of the past, for a snapshot; what was read stays, while nobody looks.
        self.rings: Callable[[], bytes] = lambda: self.state.rings
        self.duplicates: Counter[str] = Counter()  # of rewards, by whether they agree
        if begun is None:
            begun = Begun(
                problem.text, state.learner.fingerprint, problem.seed, secrets.token_bytes(32), SCHEMA, versions(),
            )  # fmt: skip
            self._log("", begun)
        self.ids = Ids(begun.secret)
        anchor = clock.anchor
        self._log("", Machine(versions(), anchor.t, anchor.boot, anchor.uptime))

    # What is asked.

    def decide(self, request: DecisionRequest) -> DecisionReply:
        """Decide, or tell again what was decided."""
        t = self.pass_time()
        name = request.id
        # Of a request without id, which nobody can repeat, it says whether the log can hold it.
        mark = mark_of(request) if name is not None or self.problem.log.context else b""
        if name is not None:
            if (content := self._decision(name)) is not None:
                return self._repeated(name, content, mark)
            if self.ids.looks_own(name):
                raise RefusalError(422, f"id must not have the form of generated ids, got {name!r}")
        self._admit()
        state, learner = self.state, self.state.learner
        user = self.ids.user(request.user)
        offer = offer_of(request, learner, user)
        seq = state.seq + 1
        self.is_torn = True
        try:
            played = learner.decide(offer, seq)
        except (NothingOnOfferError, ValueError) as error:  # also of numbers that are too large
            self.is_torn = False
            raise RefusalError(422, str(error)) from None
        made, offered, rows, row, arm, own, propensity, branch, share = played
        is_whole = self.problem.log.rows or not rows  # those that no request changes are known
        rows = rows if is_whole else made.action.tobytes()
        names = names_in(request)
        body = Decided(
            seq, t + self.problem.reward.window, rows, offered, row, arm, propensity, branch, own,
            made.luck, numbers_in(made.choice), share, seq - 1, mark,
            None if names is None else list(names),
            request.context if self.problem.log.context else None,
            is_whole, False, user,
        )  # fmt: skip
        name = self.ids.made(seq) if name is None else name
        self._log(name, body, made, t)
        return self.reply_of(name, body)

    def reward(self, request: RewardRequest) -> RewardReply:
        """Take a reward for what it is."""
        t = self.pass_time()
        reward, name, value = self.problem.reward, request.id, request.reward
        if not reward.allows(value):
            raise RefusalError(422, f"reward must be {reward.rule}, got {value}")
        part = "" if reward.join == "first" else request.part
        if reward.join != "first" and not part:
            raise RefusalError(
                422, f"part must be given where rewards are joined by {reward.join}, got none"
            )
        ledger, limits = self.state.ledger, self.problem.limits
        is_frozen = self.state.learner.is_frozen or self._is_left_out(name, t)
        verdict = ledger.judge(name, value, part, request.final, is_frozen)
        status, agrees = verdict
        if status == Status.WAITING:
            status, agrees = self._of_old(name, value, part)
        if status is None:
            self.duplicates["agrees" if agrees else "differs"] += 1
            return RewardReply(name, "duplicate", None, agrees)
        self._admit_event()
        if part and ledger.n_parts(name) >= limits.parts:
            raise RefusalError(422, f"a reward must come in at most {limits.parts} parts, got more")
        if status == Status.WAITING and ledger.n_waiting >= limits.waiting:
            raise RefusalError(503, "too many rewards wait for their decisions", 10)
        body = Rewarded(value, status, part, request.final, moment("at", request.at))
        told: Any = "late" if status == Status.LATE_LEARNT else Status.NAMES[status]
        self._log(name, body, None, t)
        return RewardReply(name, told, self.state.seq)

    def control(self, request: ControlRequest, who: str) -> None:
        """Change how the service behaves from here on."""
        self.pass_time()
        self._admit_event()
        off = None if request.off is None else self.arms(request.off)
        self._log(
            "",
            Controlled(
                who, request.why, request.mode, request.freeze, request.held == "drop", off,
                request.exploration,
            ),
        )  # fmt: skip

    def operate(self, body: Operated | Archived) -> None:
        """Log what an operation has found: from here on it holds."""
        self._log("", body)
        self.recent.clear()  # it may tell what was erased

    def audit(self, who: str, what: str, why: str, key_change: int = 0) -> None:
        """Log a change outside of the state, such as that of a key, which has a number."""
        self._log("", Controlled(who, why, what=what, key_change=key_change))

    def pass_time(self) -> int:
        """Let windows close that are over by now; what comes later is late. Return the time."""
        t = self.clock.now()
        ledger = self.state.ledger
        while (due := ledger.due(t)) or ledger.has_waited_too_long(t):
            self._log("", Expired(due), None, t)
        return t

    # What is told.

    def reply_of(self, name: str, body: Decided, *, is_repeated: bool = False) -> DecisionReply:
        """Return what is told about a decision."""
        names = body.names or self.problem.arms
        would: int | None = None
        if body.branch == Branch.BASELINE and body.own >= 0:
            would = body.own if body.offered is None else body.offered[body.own]
        branch: Any = Branch.NAMES[body.branch]
        return DecisionReply(
            name, body.arm, names[body.arm] if names else None, body.propensity, branch,
            self.version, body.seq, wall(body.deadline), is_repeated, would,
        )  # fmt: skip

    @property
    def version(self) -> str:
        """Names problem and policy, 12 digits."""
        return version_of(self.problem.text, self.state.learner.fingerprint)

    def _is_left_out(self, name: str, t: int) -> bool:
        """Return whether an open decision was censored, or made in what was rewound."""
        state = self.state
        if not state.left_out:
            return False
        content = state.ledger.open.get(name) or state.ledger.overdue.get(name)
        if content is None:
            return False
        return state.is_left_out(body_of(content), state.seq + 1, t)

    def _repeated(self, name: str, content: bytes, mark: bytes) -> DecisionReply:
        body = body_of(content)
        if body.request != mark:
            raise RefusalError(409, f"id must be new for another request, got {name!r} again")
        return self.reply_of(name, body, is_repeated=True)

    # What is known.

    def _decision(self, name: str) -> bytes | None:
        """Return the bytes of the decision of an id, wherever they are."""
        ledger = self.state.ledger
        content = ledger.open.get(name) or ledger.overdue.get(name)
        if content is None and (ledger.forgotten or name in ledger.closed):
            content = next((row.body for row in self.rows_about(name) if row.kind == DECIDED), None)
        return content

    def rows_about(self, name: str) -> list[Row]:
        """Return all rows about a decision, also those that are not durable yet."""
        recent = [row for row in (*self.writing, *self.queue) if row.id == name]
        first = recent[0].seq if recent else self.state.seq + 1
        return [row for row in self._find(name) if row.seq < first] + recent

    def _of_old(self, name: str, value: float, part: str) -> tuple[int | None, bool]:
        """Judge a reward that the ledger knows nothing of: for an old decision, or an unknown one."""
        if self.ids.looks_own(name) and not self.ids.is_own(name):
            raise RefusalError(404, f"id must be one that was decided, got {name!r}")
        if self.state.ledger.forgotten:
            events = [event_of(row) for row in self.rows_about(name)]
            if any(isinstance(event.body, Decided) for event in events):
                for event in events:
                    if isinstance(event.body, Rewarded) and event.body.part == part:
                        return None, event.body.value == value
                return Status.LATE, True
        if self.ids.looks_own(name):
            raise RefusalError(404, f"id must be one that was decided, got {name!r}")
        return Status.WAITING, True

    def arms(self, given: list[Any]) -> list[int]:
        """Return the numbers of arms that are given by number or name, or refuse."""
        arms = self.problem.arms
        try:
            return sorted(set(arms_in("off", given, arms, len(arms))))
        except ValueError as error:
            raise RefusalError(422, str(error)) from None

    # What is done.

    def _admit(self) -> None:
        self._admit_event()
        if len(self.state.ledger.open) + len(self.state.held) >= self.problem.limits.open:
            raise RefusalError(503, "too many decisions are open", 10)

    def _admit_event(self) -> None:
        """Refuse before anything is applied."""
        if len(self.queue) + len(self.writing) >= self.problem.limits.queue:
            raise RefusalError(503, "too many events wait to be written", 1)

    def _log(self, name: str, body: Body, made: Any = None, t: int | None = None) -> None:
        event = Event(self.state.seq + 1, self.clock.now() if t is None else t, name, body)
        row = row_of(event)
        self.is_torn = True
        self.state.apply(event, row.body, made)
        self.queue.append(row)
        self.is_torn = False
        self.recent.append(row)
        if self.on_control is not None and isinstance(body, _BY_SOMEBODY):
            self.on_control(event.t, body)
        if event.seq % _CHECK_EVERY == 0:
            self._log("", Checked(self.state.digest))
