"""The state of a problem: a fold of `State.apply` over the events of its log, and nothing else.

`apply` knows no clock, no randomness, no input and no output: time, ids and luck are fields of events.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

import msgspec

from ..core.contract.decision import Decision
from ..core.engine.agent import Agent
from .events import (
    Begun,
    Branch,
    Checked,
    Controlled,
    DamageError,
    Decided,
    Event,
    Expired,
    LeftOut,
    Machine,
    Operated,
    Rewarded,
    Status,
    body_of,
)
from .growing import former_of, grown
from .learner import Learner
from .ledger import Ledger, Waiting
from .problem.reading import policy_in
from .problem.settings import Problem
from .tally import Tally
from .versions import is_foreign

__all__ = ["State"]

_KEPT = (Branch.POLICY, Branch.EXPLORE)  # who is shown such an arm keeps it


class State:
    """Ledger, learner, and what is held while learning is frozen."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.ledger, self.learner = Ledger(problem), Learner(problem)
        self.held: list[tuple[str, bytes, float]] = []  # to be learnt at a thaw, in order
        self.seq = self.t = 0  # of the last event
        self.counts: Counter[str] = Counter()  # of decisions by branch, of rewards by status
        self.tally = Tally(arms=[0] * len(problem.arms))
        self.settings: dict[str, Any] | None = None  # of the policy; None: those of the problem
        self.grown: list[tuple[int, str]] = []  # files that declared more, each from after an event
        self.left_out: list[LeftOut] = []
        # Open decisions from before the memory was made anew, by seq: luck and record, as it has them.
        self.carried: dict[int, tuple[int, list[Any]]] = {}
        self.rings = b""  # what a page showed of the past, in the snapshot that this was read from
        self.key_changes = 0  # how many are in the log
        # By erased rows, or by rules of another version, until an event says what the memory was.
        self.is_blurred = False

    def apply(self, event: Event, content: bytes, made: Decision | None = None) -> None:
        """Take in the next event.

        Parameters
        ----------
        event
            What happened.
        content
            Its bytes, which are kept while a decision is open.
        made
            The decision, if the agent has just made it; else it is told of it.
        """
        if event.seq != self.seq + 1 or event.t < self.t:
            raise DamageError(
                f"event {event.seq} at {event.t} must follow event {self.seq} at {self.t}"
            )
        self.seq, self.t = event.seq, event.t
        body = event.body
        if type(body) is Decided:
            self._decided(event.id, body, content, made)
        elif type(body) is Rewarded:
            self._rewarded(event, body)
        elif type(body) is Expired:
            self.ledger.run_out(event.t)
            self._expired(body)
        elif type(body) is Controlled:
            self._controlled(body)
        elif type(body) is Operated:
            self._operated(body)
        elif type(body) is Begun or type(body) is Machine:
            self.is_blurred = self.is_blurred or is_foreign(body.versions)
        elif type(body) is Checked and not self.is_blurred and not self._is(body.digest):
            raise DamageError(
                f"event {event.seq}: the state must be the one that was logged, got another"
            )

    def _is(self, digest: str) -> bool:
        return digest == self.digest

    def _decided(self, name: str, body: Decided, content: bytes, made: Decision | None) -> None:
        if body.is_erased:
            self.is_blurred = True
        elif made is None:
            self.learner.agent.note(self.learner.decision_of(body))
        self.learner.note(body.arm)
        if body.user and body.branch in _KEPT:
            self.learner.keep(body.user, body.arm)
        self.counts[Branch.NAMES[body.branch]] += 1
        if self.tally.arms:
            self.tally.arms[body.arm] += 1
        for early in self.ledger.decide(name, body.deadline, content):
            self.ledger.note(name, early.part, early.value)
            if self.problem.reward.join == "first" or early.is_final:
                self._settle(name)
                return

    def _rewarded(self, event: Event, body: Rewarded) -> None:
        name, status = event.id, body.status
        self.counts[Status.NAMES[status]] += 1
        if status == Status.WAITING:
            early = Waiting(event.seq, event.t, body.value, body.part, body.is_final)
            self.ledger.wait(name, early)
        elif status == Status.LATE:
            self.ledger.hear(name, body.part, body.value)
        else:
            self.ledger.note(name, body.part, body.value)
            if status != Status.NOTED:
                self._settle(name)

    def _expired(self, body: Expired) -> None:
        reward = self.problem.reward
        self.counts["expired"] += len(body.ids)
        for name in body.ids:
            if name in self.ledger.parts:
                self._settle(name)
            elif reward.default is not None:
                self._learn(name, *self.ledger.close(name), reward.default)
                self.tally.defaults += 1
            else:
                given_up = (
                    self.ledger.postpone(name) if reward.learns_late else [self.ledger.close(name)]
                )
                for _, body_given_up in given_up:
                    self._give_up(body_given_up)

    def _controlled(self, body: Controlled) -> None:
        learner = self.learner
        self.counts["controlled"] += 1
        self.key_changes = max(self.key_changes, body.key_change)
        learner.mode = learner.mode if body.mode is None else body.mode
        learner.share = learner.share if body.share is None else body.share
        learner.off = learner.off if body.off is None else frozenset(body.off)
        learner.is_frozen = learner.is_frozen if body.is_frozen is None else body.is_frozen
        if not learner.is_frozen:
            held, self.held = self.held, []
            for _, content, value in held:
                if body.drops_held:
                    self._give_up(body_of(content))
                else:
                    self._teach(self._taken(body_of(content)), value)

    def _operated(self, body: Operated) -> None:
        self.counts["operated"] += 1
        if body.problem is not None:
            self.grow(self.seq, body.problem)
        if body.policy is not None:
            self.switch(body.policy)
        self.left_out = self.left_out + body.left_out
        self.learner.agent = Agent.from_bytes(body.memory)
        self.carried = {seq: (luck, record) for seq, luck, record in body.carried}
        if body.held is not None:
            kept = set(body.held)
            self.held = [each for each in self.held if body_of(each[1]).seq in kept]
        if body.erased or body.rows:
            self._erase(body)
        self.is_blurred = False

    def switch(self, settings: dict[str, Any]) -> None:
        """Go on with another policy, under the same guards."""
        self.settings = settings
        policy = policy_in(settings, self.problem.dimension)
        self._go_on(replace(self.problem, policy=policy))

    def grow(self, last: int, text: str) -> None:
        """Go on with a file that declares more, where rows up to an event are as before."""
        self.grown.append((last, text))
        before, learner, problem = self.problem, self.learner, grown(self.problem, text)
        if self.settings is not None:
            problem = replace(problem, policy=policy_in(self.settings, problem.dimension))
        self._go_on(problem)
        self.learner.formers.append(
            former_of(before, problem, learner.fixed, last, plays_arms=self.learner.plays_arms)
        )
        self.tally.arms += [0] * (len(problem.arms) - len(self.tally.arms))

    def _go_on(self, problem: Problem) -> None:
        before, self.problem, self.learner = self.learner, problem, Learner(problem)
        self.learner.fill(before.as_plain(), self.learner.agent)
        self.learner.formers = before.formers

    def _erase(self, body: Operated) -> None:
        erased = set(body.erased)
        self.counts["erased"] += len(erased)
        self.held = [each for each in self.held if body_of(each[1]).seq not in erased]
        self.ledger.erase(erased, set(body.rows))
        self.learner.users.clear()  # nobody can tell any more whose were erased

    def is_left_out(self, body: Decided, seq: int, t: int) -> bool:
        """Return whether a decision that is settled by an event is not to be learnt from."""
        return any(each.holds(body, seq, t) for each in self.left_out)

    def known(self, content: bytes) -> Decided:
        """Return a decision as the memory knows it, which may have been made anew since."""
        return self._known(body_of(content))

    def _known(self, body: Decided) -> Decided:
        if body.seq in self.carried:
            luck, record = self.carried[body.seq]
            body = msgspec.structs.replace(body, luck=luck, record=record)
        return body

    def _taken(self, body: Decided) -> Decided:
        """Return a decision that is done with, as the memory knows it."""
        body = self._known(body)
        self.carried.pop(body.seq, None)
        return body

    def _teach(self, body: Decided, value: float) -> None:
        if not body.is_erased:
            self.learner.learn(body, value)

    def _settle(self, name: str) -> None:
        """Close a decision with the rewards that were noted."""
        value = self.problem.reward.joined(self.ledger.parts[name])
        body = self._learn(name, *self.ledger.close(name), value)
        self.tally.count_delay(self.t - body.deadline + self.problem.reward.window)

    def _learn(self, name: str, content: bytes, body: Decided, value: float) -> Decided:
        self.tally.count_reward(value, is_explored=body.branch == Branch.EXPLORE)
        if self.left_out and self.is_left_out(body, self.seq, self.t):
            self._give_up(body)
        elif self.learner.is_frozen:
            self.held.append((name, content, value))
        else:
            self._teach(self._taken(body), value)
        return body

    def _give_up(self, body: Decided) -> None:
        body = self._taken(body)
        if not body.is_erased:
            self.learner.give_up(body)

    @property
    def digest(self) -> str:
        """A digest of what was learnt and of how many decisions are in which state."""
        parts = [self.learner.agent.digest, *self.ledger.counts(), len(self.held)]
        learner = self.learner.as_plain()
        users = learner.pop("users")
        parts += [repr(self.tally), *sorted(self.counts.items()), learner]
        if users:  # nothing is added where there are none, as in logs of before
            parts.append(len(users))
        if self.key_changes:
            parts.append(self.key_changes)
        if self.left_out:  # nothing is added where nobody has operated, as in logs of before
            parts.append(msgspec.to_builtins(self.left_out))
        return hashlib.sha256(repr(parts).encode()).hexdigest()
