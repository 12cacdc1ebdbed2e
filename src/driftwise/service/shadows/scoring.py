"""One policy that follows a log: it learns what was played, and is scored by what it would have played.

Scores are taken in the order of decisions, each when it and all before it are settled. At the time of a
look some rewards have come and others have not; those that come quickly are no fair sample.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import msgspec

from ...evaluation.running import RunningGain
from ..events import Branch, Decided, Expired, LeftOut, Operated, body_of
from ..problem.settings import Problem, Shadow
from ..rebuilding import Rebuilding
from ..state import State

__all__ = ["Following", "Standing"]


class Standing(msgspec.Struct):
    """How a shadow does, in units of the problem's rewards; limits hold at all times at once."""

    name: str
    policy: str
    seq: int  # the last event that it has followed
    since: int  # the event after which it is scored: the beginning, or a change of the live policy
    scored: int  # decisions
    unscored: int  # without exploration, or made by force: nothing can be said about others
    effective: float  # how many decisions of its own the estimate is worth
    agreement: float  # share of decisions in which it chose what the live policy did
    live: float  # mean reward of the scored decisions
    gain: float  # how much more it would bring in each
    low: float
    high: float

    @property
    def is_better(self) -> bool:
        """Whether it is surely better than what is live."""
        return self.low > 0.0


class Following(Rebuilding):
    """The state of a shadow.

    Parameters
    ----------
    problem
        What the log is of, as it began.
    shadow
        The policy.
    left_out
        What operations have censored so far.
    base
        The state at which the log begins, where what was before is archived.
    grown
        Files that declare more, each from after an event.
    """

    def __init__(
        self,
        problem: Problem,
        shadow: Shadow,
        left_out: list[LeftOut],
        base: State | None = None,
        grown: Sequence[tuple[int, str]] = (),
    ) -> None:
        self.shadow = shadow
        self._forget_scores(0)
        super().__init__(problem, shadow.settings, left_out, base, grown)

    def _forget_scores(self, since: int) -> None:
        self.since, self.unscored = since, 0
        self.gain = RunningGain()
        self._order: deque[int] = deque()  # seqs of decisions that are not scored yet
        self._weights: dict[int, float] = {}  # of these that are not settled
        self._outcomes: dict[int, tuple[float, float] | None] = {}  # of these that are

    @property
    def standing(self) -> Standing:
        """How it does now."""
        reward, gain, found = self.problem.reward, self.gain, self.comparison
        width = reward.high - reward.low
        return Standing(
            name=self.shadow.name,
            policy=type(self.problem.policy).__name__,
            seq=self.seq,
            since=self.since,
            scored=gain.events,
            unscored=self.unscored,
            effective=gain.effective,
            agreement=1.0 - found.share,
            live=reward.low + width * gain.log,
            gain=width * gain.value,
            low=width * gain.low,
            high=width * gain.high,
        )

    def _compare(self, body: Decided, own: int) -> None:
        super()._compare(body, own)
        is_drawn = body.branch in (Branch.POLICY, Branch.EXPLORE) and body.share > 0.0
        if not is_drawn or not body.is_whole or not body.propensity:
            self.unscored += 1
        elif body.seq == self.seq:  # and not one that was open where the log begins
            self._order.append(body.seq)
            self._weights[body.seq] = self.learner.chance_again(body, own) / body.propensity

    def _learn(self, name: str, content: bytes, body: Decided, value: float) -> Decided:
        super()._learn(name, content, body, value)
        if body.seq in self._weights:
            scaled = self.problem.reward.scaled(value)
            # A sum of several parts may leave the range that was declared for one.
            self._note(body.seq, min(1.0, max(0.0, scaled)))
        return body

    def _give_up(self, body: Decided) -> None:
        super()._give_up(body)
        self._note(body.seq, None)

    def _expired(self, body: Expired) -> None:
        ran_out = [body_of(self.ledger.open[name]).seq for name in body.ids]
        super()._expired(body)
        for seq in ran_out:  # a reward that is late is learnt, perhaps, but not waited for
            self._note(seq, None)

    def _note(self, seq: int, reward: float | None) -> None:
        weight = self._weights.pop(seq, None)
        if weight is None:
            return
        self._outcomes[seq] = None if reward is None else (weight, reward)
        while self._order and self._order[0] in self._outcomes:
            outcome = self._outcomes.pop(self._order.popleft())
            if outcome is not None:
                self.gain.add(*outcome)

    def _operated(self, body: Operated) -> None:
        super()._operated(body)
        if body.policy is not None:
            self._forget_scores(self.seq)  # what is live now is another policy
