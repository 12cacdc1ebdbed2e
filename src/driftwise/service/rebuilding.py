"""A memory made anew from the log: by another policy, or without some rewards.

The policy is asked again for every decision, is told what was really played, and learns every reward that
is not left out, in the order of the log. With the same policy and nothing left out the memory is the same,
bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.contract.decision import Decision
from .events import Decided, LeftOut, Operated, Row, body_of, event_of
from .problem.reading import policy_in
from .problem.settings import Problem
from .records import numbers_in
from .state import State

__all__ = ["Comparison", "Rebuilding"]


class Comparison(NamedTuple):
    """How the memory made anew differs from the one that chose."""

    decisions: int  # that were compared
    different: int  # of these: the policy would have chosen otherwise
    first_difference: int | None  # seq
    learnt: int  # rewards
    left_out: int  # rewards: censored, or rewound
    lost: int  # decisions whose rows are erased or not kept: nothing can be learnt from them
    archived: int  # events that are not in the log any more, up to this seq

    @property
    def share(self) -> float:
        """Of decisions in which the choice differs."""
        return self.different / self.decisions if self.decisions else 0.0


class Rebuilding(State):
    """A state that learns as if this policy had been there, and these rewards had not.

    Parameters
    ----------
    problem
        What the log is of.
    settings
        Of the policy, as in a problem file; None: that of the problem.
    left_out
        What is not learnt, all of it.
    base
        The state at which the log begins, where what was before is archived.
    grown
        Files that declare more, each from after an event.
    """

    def __init__(
        self,
        problem: Problem,
        settings: dict[str, Any] | None,
        left_out: list[LeftOut],
        base: State | None = None,
        grown: Sequence[tuple[int, str]] = (),
    ) -> None:
        if settings is not None:
            problem = replace(problem, policy=policy_in(settings, problem.dimension))
        super().__init__(problem)
        self.settings = settings
        for last, text in grown:  # so that there is room for all of it from the beginning
            self.grow(last, text)
        self.left_out = left_out
        self._compared = self._different = self._learnt = self._n_left_out = self._lost = 0
        self._first: int | None = None
        self._archived = 0 if base is None else base.seq
        if base is not None:
            self._begin(base)

    def _begin(self, base: State) -> None:
        """Go on from a state; its memory is of use if its policy is the same."""
        self.seq, self.t, self.ledger, self.held = base.seq, base.t, base.ledger, base.held
        self.counts, self.tally = base.counts, base.tally
        self.tally.arms += [0] * (len(self.problem.arms) - len(self.tally.arms))
        self.learner.fill(base.learner.as_plain(), self.learner.agent)
        waiting = (*self.ledger.overdue.values(), *self.ledger.open.values())
        bodies = [body_of(content) for content in (*(held for _, held, _ in self.held), *waiting)]
        self._lost += sum(body.is_erased for body in bodies)
        if (base.learner.fingerprint, base.grown) == (self.learner.fingerprint, self.grown):
            self.learner.agent, self.carried = base.learner.agent, base.carried
            return
        for body in bodies:
            if not body.is_erased:
                self._relive(body)

    def take(self, rows: Iterable[Row]) -> None:
        """Apply rows that follow."""
        for row in rows:
            self.apply(event_of(row), row.body)

    @property
    def comparison(self) -> Comparison:
        """How it differs so far."""
        return Comparison(
            self._compared, self._different, self._first, self._learnt, self._n_left_out, self._lost,
            self._archived,
        )  # fmt: skip

    def _relive(self, body: Decided) -> Decision:
        made, own = self.learner.relive(body)
        self.carried[body.seq] = made.luck, numbers_in(made.choice)
        self._compare(body, own)
        return made

    def _compare(self, body: Decided, own: int) -> None:
        """Count whether this policy would have played another row than the one that was there did."""
        if body.is_whole and body.own >= 0:
            self._compared += 1
            if own != body.own:
                self._different += 1
                self._first = body.seq if self._first is None else self._first

    def _decided(self, name: str, body: Decided, content: bytes, made: Decision | None) -> None:
        if body.is_erased:
            self._lost += 1
            super()._decided(name, body, content, made)
        else:
            super()._decided(name, body, content, self._relive(body))

    def _operated(self, body: Operated) -> None:
        """Take over what is not memory: this one is made anew."""
        if body.erased or body.rows:
            ledger, erased = self.ledger, set(body.erased)
            for content in (*ledger.open.values(), *ledger.overdue.values()):
                if (gone := body_of(content)).seq in erased:
                    self._give_up(gone)
            self._erase(body)

    def _teach(self, body: Decided, value: float) -> None:
        self._learnt += not body.is_erased
        super()._teach(body, value)

    def is_left_out(self, body: Decided, seq: int, t: int) -> bool:
        """Return whether it is, and count."""
        is_out = super().is_left_out(body, seq, t)
        self._n_left_out += is_out
        return is_out

    def _is(self, digest: str) -> bool:
        return True  # that of another memory
