"""Which decisions wait for a reward, and what a reward is when it comes: pure bookkeeping.

`judge` says what a reward is, by the table of the service's semantics, and changes nothing; the other
methods do what an event says. A decision is open, then closed for good; what is closed is remembered by
its id for the last `Limits.remembered`, so that memory does not grow with the log.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from .events import Decided, Status, body_of, erased_name, seq_of
from .problem.settings import Problem

__all__ = ["Ledger", "Verdict", "Waiting"]


class Waiting(NamedTuple):
    """A reward whose decision is not known yet."""

    seq: int  # of its event
    t: int
    value: float
    part: str
    is_final: bool


# What is remembered of a closed decision: its seq, and every reward that was heard of it, by part. It is
# a plain tuple of plain tuples, since the garbage collector need not look at those.
Heard = tuple[tuple[str, float], ...]
Closed = tuple[int, Heard]


class Verdict(NamedTuple):
    """What a reward is: a status that is logged, or a duplicate, which is only counted."""

    status: int | None  # None: a duplicate
    agrees: bool = True  # with the reward before


class Ledger:
    """Open, overdue, closed and waiting, of one problem."""

    def __init__(self, problem: Problem) -> None:
        self._reward, self._limits = problem.reward, problem.limits
        self.open: dict[str, bytes] = {}  # bytes, which the garbage collector need not look at
        self.overdue: dict[str, bytes] = {}  # ran out, and a late reward would still be learnt
        self.parts: dict[str, dict[str, float]] = {}  # of open decisions
        self.closed: dict[str, Closed] = {}
        self.waiting: dict[str, list[Waiting]] = {}
        self._deadlines: deque[tuple[int, str]] = deque()  # in order, since windows are all alike
        self._arrivals: deque[tuple[int, str]] = deque()  # of rewards that wait
        self.n_waiting = 0
        self.forgotten = 0  # decisions that only the store knows

    def judge(self, name: str, value: float, part: str, is_final: bool, is_frozen: bool) -> Verdict:
        """Return what a reward is, of a decision that is known here."""
        if name in self.open:
            heard = self.parts.get(name, {})
            if part in heard:
                return Verdict(None, agrees=heard[part] == value)
            if self._reward.join != "first" and not is_final:
                return Verdict(Status.NOTED)
            return Verdict(Status.HELD if is_frozen else Status.LEARNT)
        if name in self.overdue:
            return Verdict(Status.HELD if is_frozen else Status.LATE_LEARNT)
        if name in self.closed:
            heard = dict(self.closed[name][1])
            agrees = heard.get(part) == value
            return Verdict(None, agrees) if part in heard else Verdict(Status.LATE)
        for each in self.waiting.get(name, ()):
            if each.part == part:
                return Verdict(None, agrees=each.value == value)
        return Verdict(Status.WAITING)

    def n_parts(self, name: str) -> int:
        """Return in how many parts the reward of a decision has come."""
        return len(self.closed[name][1] if name in self.closed else self.parts.get(name, ()))

    def knows(self, name: str) -> bool:
        """Return whether a decision of this id was made, as far as is remembered here."""
        return name in self.open or name in self.closed or name in self.overdue

    def decide(self, name: str, deadline: int, content: bytes) -> list[Waiting]:
        """Open a decision; return the rewards that were waiting for it, in order."""
        self.open[name] = content
        self._deadlines.append((deadline, name))
        if len(self._deadlines) > 2 * len(self.open) + 1000:  # most are settled already
            self._deadlines = deque(each for each in self._deadlines if each[1] in self.open)
        early = self.waiting.pop(name, [])
        self.n_waiting -= len(early)
        return early

    def note(self, name: str, part: str, value: float) -> dict[str, float]:
        """Keep a part of a reward; return all of them."""
        # A new dictionary, as a snapshot that is being encoded may hold the former one.
        parts = self.parts[name] = self.parts.get(name, {}) | {part: value}
        return parts

    def close(self, name: str) -> tuple[bytes, Decided]:
        """Settle a decision; return it, and its bytes."""
        content = self.open.pop(name, None) or self.overdue.pop(name)
        heard: Heard = tuple(self.parts.pop(name, {}).items())
        body = body_of(content)
        self._remember(name, (body.seq, heard))
        return content, body

    def hear(self, name: str, part: str, value: float) -> None:
        """Remember a reward that came too late, so that it is told from its retry."""
        if name in self.closed:
            seq, heard = self.closed[name]
            self.closed[name] = seq, (*heard, (part, value))

    def postpone(self, name: str) -> list[tuple[bytes, Decided]]:
        """Let a decision run out that a late reward may still be learnt for; return those given up."""
        self.overdue[name] = self.open.pop(name)
        given_up = []
        while len(self.overdue) > self._limits.remembered:
            given_up.append(self.close(next(iter(self.overdue))))
        return given_up

    def wait(self, name: str, reward: Waiting) -> None:
        """Keep a reward until its decision comes, or one window has passed."""
        self.waiting.setdefault(name, []).append(reward)
        self._arrivals.append((reward.t, name))
        self.n_waiting += 1

    def has_waited_too_long(self, t: int) -> bool:
        """Return whether there is a reward that has waited for one window."""
        if not self._arrivals:
            return False
        while self._arrivals and self._arrivals[0][1] not in self.waiting:  # its decision has come
            self._arrivals.popleft()
        return bool(self._arrivals) and self._arrivals[0][0] + self._reward.window <= t

    def run_out(self, t: int) -> None:
        """Drop the rewards that have waited for one window."""
        while self.has_waited_too_long(t):
            then, name = self._arrivals.popleft()
            kept = [each for each in self.waiting.get(name, ()) if each.t > then]
            self.n_waiting -= len(self.waiting.get(name, ())) - len(kept)
            if kept:
                self.waiting[name] = kept
            else:
                self.waiting.pop(name, None)

    def erase(self, decisions: set[int], rows: set[int]) -> None:
        """Close decisions, and forget the ids of these and of rewards that wait, by their seqs.

        In a log from which they are erased already, they have their new names, and nothing changes.
        """
        for name in [*self.open, *self.overdue]:
            content = self.open.get(name) or self.overdue[name]
            if seq_of(content) in decisions:
                self.close(name)
        self.closed = {
            erased_name(each[0]) if each[0] in decisions else name: each
            for name, each in self.closed.items()
        }
        for name in [*self.waiting]:
            first = self.waiting[name][0].seq
            if first in rows:
                self.waiting[erased_name(first)] = self.waiting.pop(name)
                self._arrivals = deque(
                    (t, erased_name(first) if each == name else each) for t, each in self._arrivals
                )

    def due(self, t: int, most: int = 1000) -> list[str]:
        """Return open decisions whose window has closed, the oldest first, at most so many."""
        deadlines = self._deadlines
        if not deadlines or deadlines[0][0] > t:  # nearly always
            return []
        while deadlines and deadlines[0][1] not in self.open:  # settled in time
            deadlines.popleft()
        found: list[str] = []
        for deadline, name in deadlines:
            if deadline > t or len(found) == most:
                break
            if name in self.open:
                found.append(name)
        return found

    def _remember(self, name: str, closed: Closed) -> None:
        self.closed[name] = closed
        if len(self.closed) > self._limits.remembered:
            # A tenth at a time: to find the first of a dictionary after many were deleted is slow.
            for old in list(self.closed)[: max(1, self._limits.remembered // 10)]:
                del self.closed[old]
                self.forgotten += 1

    def as_plain(self) -> dict[str, Any]:
        """Return everything but the bytes of decisions, of which a log has better ones.

        It stays as it is now: what may be long is copied here, which takes little, and told when asked for.
        """
        return {
            "open": map(seq_of, list(self.open.values())),
            "overdue": map(seq_of, list(self.overdue.values())),
            "parts": self.parts.copy().items(),
            "closed": ((name, *closed) for name, closed in self.closed.copy().items()),
            "waiting": [[name, *each] for name, all_ in self.waiting.items() for each in all_],
            "forgotten": self.forgotten,
        }

    def fill(self, plain: dict[str, Any], decisions: dict[int, tuple[str, bytes]]) -> None:
        """Take over what `as_plain` told, with the id and the bytes of each decision by its seq."""
        for seq in plain["open"]:
            name, content = decisions[seq]
            self.open[name] = content
            self._deadlines.append((body_of(content).deadline, name))
        self.overdue = dict(decisions[seq] for seq in plain["overdue"])
        self.parts = plain["parts"]
        self.closed = {
            name: (seq, tuple((part, value) for part, value in heard))
            for name, seq, heard in plain["closed"]
        }
        self.forgotten = plain["forgotten"]
        arrivals = sorted((Waiting(*each), name) for name, *each in plain["waiting"])
        for reward, name in arrivals:
            self.wait(name, reward)

    def counts(self) -> Iterator[int]:
        """Yield how many there are of each kind: a part of the digest of a state."""
        for kind in (self.open, self.overdue, self.parts, self.closed):
            yield len(kind)
        yield self.n_waiting
        yield self.forgotten
