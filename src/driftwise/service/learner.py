"""What is played: guards, exploration, and the agent inside; a request and the state say all.

The policy chooses row k of the m rows on offer, from luck of its own. With probability `share` any of
them is played instead, drawn from luck of the event's seq. Given what the policy drew, row j is played
with probability share / m + (1 - share) 1{j = k}: exact for every policy. Where a policy keeps the chances
of its arms, these take the place of the indicator.
"""

from __future__ import annotations

import copy
import math
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.contract.decision import Decision
from ..core.contract.optional import chance_of
from ..core.engine.agent import Agent
from ..core.randomness import draws
from ..core.randomness.seeds import named_seed
from .events import Branch, Decided
from .growing import Former, rows_in
from .played import NothingOnOfferError, Offer, Played
from .problem.settings import Problem
from .records import form_of

__all__ = ["MODES", "Learner"]

MODES = ("normal", "fallback", "apprentice")
_EXPLORES, _ANY_ROW = range(2)  # numbers that are drawn from the luck of an event


class Learner:
    """An agent, and what holds whatever it chooses."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.agent, self.plays_arms = _agent_of(problem)
        self.fixed = np.eye(len(problem.arms)) if self.plays_arms else problem.fixed_rows
        self.mode = MODES[0]
        self.off: frozenset[int] = frozenset()
        self.share = problem.share
        self.is_frozen = False
        self.last_arms: deque[int] = deque(maxlen=problem.guards.over)
        self.last_counts: Counter[int] = Counter()
        self.users: dict[bytes, int] = {}  # the arm that each keeps, the oldest first
        self._luck = named_seed(problem.seed, "exploration")
        first = self._first_choice()
        self._form, self.fingerprint = form_of(first.choice), first.policy
        self.keeps_chances = hasattr(problem.policy, "chance_of")
        self.formers: list[Former] = []  # what rows were like before more was declared

    def _first_choice(self) -> Decision:
        """Return some choice of such an agent: the compiler demands that records are all of one form."""
        twin = copy.deepcopy(self.agent)
        if self.plays_arms:
            return twin.choose()
        return twin.choose(np.eye(self.problem.dimension)[:1] if self.fixed is None else self.fixed)

    def decide(self, offer: Offer, seq: int) -> Played:
        """Return what is played as event ``seq``; the agent has then made that decision."""
        forced, branch = self._forced(offer)
        offered = self._offered(offer, forced)
        if not offered:
            if self.problem.guards.fallback is None:
                raise NothingOnOfferError("there must be an arm to play, got none that is on")
            forced, branch = self.problem.guards.fallback, Branch.FORCED
            offered = [forced]
        rows = self.fixed if offer.rows is None else offer.rows
        assert rows is not None
        is_whole = len(offered) == offer.n_rows
        rows = rows if is_whole else rows[offered]
        content = b"" if offer.rows is None else rows.tobytes()
        return self._chosen(rows, content, offered, is_whole, seq, forced, branch)

    def decide_again(self, body: Decided) -> Played:
        """Return what is played where an event says what was offered: for a check of the log."""
        rows, offered = self.offer_in(body)
        forced = None if body.branch in (Branch.POLICY, Branch.EXPLORE) else body.arm
        branch = Branch.POLICY if forced is None else body.branch
        is_whole = body.offered is None
        return self._chosen(rows, body.rows, offered, is_whole, body.seq, forced, branch)

    def relive(self, body: Decided) -> tuple[Decision, int]:
        """Decide where an event says what was offered and played: for a memory that is made anew.

        Returns
        -------
        made, own
            The decision with what was played; and the row that this policy would have played.
        """
        rows, offered = self.offer_in(body)
        made = self.agent.choose() if self.plays_arms else self.agent.choose(rows)
        is_whole = body.offered is None and not (self.formers and body.seq <= self.formers[-1].last)
        own = self._own(made.arm, offered, is_whole)
        row = body.row if body.is_whole or not body.rows else 0
        place = body.arm if self.plays_arms else row
        known = math.nan if body.propensity is None else body.propensity
        if place != made.arm or known != made.choice.propensity:
            made = self.agent.played(made, place, rows[row], known)
        return made, own

    def offer_in(self, body: Decided) -> tuple[Matrix, list[int]]:
        """Return the rows that an event says were on offer, as they are now, and their arms."""
        rows = rows_in(body, self.fixed, self.problem.dimension, self.formers)
        return rows, list(range(len(rows))) if body.offered is None else body.offered

    def _own(self, arm: int, offered: list[int], is_whole: bool) -> int:
        """Return the row of what the agent chose; -1 if that is not on offer, and none is next best."""
        if not self.plays_arms or is_whole:
            return arm
        return offered.index(arm) if arm in offered else self._next_best(offered)

    def _chosen(
        self,
        rows: Matrix,
        content: bytes,
        offered: list[int],
        is_whole: bool,
        seq: int,
        forced: int | None,
        branch: int,
    ) -> Played:
        m = len(offered)
        made = self.agent.choose() if self.plays_arms else self.agent.choose(rows)
        own = self._own(made.arm, offered, is_whole)
        share, luck = self.share, draws.fork(self._luck, seq)
        row = own
        if forced is not None:
            row = offered.index(forced)
        elif draws.uniform(luck, _EXPLORES) < share:
            row, branch = int(draws.uniform(luck, _ANY_ROW) * m), Branch.EXPLORE
        elif own < 0:
            row = int(draws.uniform(luck, _ANY_ROW) * m)
        propensity = self._propensity(made, offered, row, own, branch)
        place = offered[row] if self.plays_arms else row
        known = math.nan if propensity is None else propensity
        if place != made.arm or known != made.choice.propensity:
            action = made.action if place == made.arm else rows[row]
            made = self.agent.played(made, place, action, known)
        offers = None if is_whole else offered
        return Played(made, offers, content, row, offered[row], own, propensity, branch, share)

    def _next_best(self, offered: list[int]) -> int:
        """Return the row of the best arm on offer, as far as the policy tells; -1 if it does not."""
        if self.keeps_chances or not hasattr(self.problem.policy, "estimate_in"):
            return -1
        means = np.nan_to_num(self.agent.estimate[offered], nan=np.inf)  # of what was never played
        return int(np.argmax(means))

    def _forced(self, offer: Offer) -> tuple[int | None, int]:
        if self.mode == "fallback":
            fallback = self.problem.guards.fallback
            return (0 if fallback is None else fallback), Branch.FORCED
        if self.mode == "apprentice":
            return offer.baseline, Branch.BASELINE
        if offer.kept is not None and offer.kept not in self.off and offer.kept not in offer.off:
            return offer.kept, Branch.STICKY
        return None, Branch.POLICY

    def _offered(self, offer: Offer, forced: int | None) -> list[int]:
        """Return the arms that may be played now, and the one that must."""
        if not (self.off or offer.off or self.problem.guards.largest_share):
            return list(range(offer.n_rows))
        out = {*self.off, *offer.off}
        kept = [arm for arm in range(offer.n_rows) if arm == forced or arm not in out]
        # A share that is too large leaves an arm out only if there are others.
        return [arm for arm in kept if arm == forced or not self._is_too_often(arm)] or kept

    def _is_too_often(self, arm: int) -> bool:
        most = self.problem.guards.largest_share.get(arm)
        return (
            most is not None
            and self.last_counts[arm] + 1 > most * (len(self.last_arms) + 1)
            and (
                len(self.last_arms)
                >= min(self.problem.guards.over, 20)  # of few, any share is large
            )
        )

    def _propensity(
        self, made: Decision, offered: Sequence[int], row: int, own: int, branch: int
    ) -> float | None:
        if branch in (Branch.FORCED, Branch.STICKY):
            return 1.0
        if branch == Branch.BASELINE:
            return None  # the caller knows
        if not self.keeps_chances and self.share == 0.0 and own >= 0:
            return None if math.isnan(made.propensity) else made.propensity
        return self.mixed(*self._chance(offered, row, own), len(offered), self.share)

    def _chance(self, offered: Sequence[int], row: int, own: int) -> tuple[float, float]:
        """Return with which probability the policy chooses a row, and with which what is not on offer."""
        if not self.keeps_chances:
            return float(row == own), float(own < 0)
        chances = [float(chance_of(self.problem.policy, self.agent.memory, arm)) for arm in offered]
        return chances[row], max(0.0, 1.0 - sum(chances))

    def chance_again(self, body: Decided, own: int) -> float:
        """Return the probability of what an event says was played, had this policy been asked alone."""
        offered = self.offer_in(body)[1]
        return self.mixed(*self._chance(offered, body.row, own), len(offered), 0.0)

    @staticmethod
    def mixed(chance: float, lost: float, m: int, share: float) -> float:
        """Return the probability of one of m rows.

        Parameters
        ----------
        chance, lost
            With which the policy chooses it, and with which it chooses what is not on offer.
        m, share
            How many rows there are, and in which share of rounds any is played.
        """
        return min(1.0, share / m + (1.0 - share) * (chance + lost / m))

    def note(self, arm: int) -> None:
        """Count what was played."""
        if self.problem.guards.largest_share:
            if len(self.last_arms) == self.last_arms.maxlen:
                self.last_counts[self.last_arms[0]] -= 1
            self.last_arms.append(arm)
            self.last_counts[arm] += 1

    def keep(self, user: bytes, arm: int) -> None:
        """Let a user have an arm from here on; who has none yet may take the place of the first."""
        if user not in self.users and len(self.users) >= self.problem.limits.users:
            self.users.pop(next(iter(self.users)), None)
        self.users[user] = arm

    def decision_of(self, body: Decided) -> Decision:
        """Return the decision of an event, for the agent to learn from."""
        choice = self._form.filled(body.record)
        return Decision(
            choice.arm, self.action_of(body), choice.propensity, choice.value, body.luck, choice,
            self.fingerprint,
        )  # fmt: skip

    def action_of(self, body: Decided) -> Vector:
        """Return the (d,) row that was played."""
        if self.formers and body.seq <= self.formers[-1].last:
            rows = self.offer_in(body)[0]
            return np.array(rows[body.row if body.is_whole or not body.rows else 0])
        if not body.rows:
            assert self.fixed is not None
            return np.array(self.fixed[body.arm])
        d = self.problem.dimension
        start = 8 * d * (body.row if body.is_whole else 0)
        return np.frombuffer(body.rows, np.float64, d, start).copy()

    def learn(self, body: Decided, value: float) -> None:
        """Learn the reward of a decision."""
        self.agent.learn(self.decision_of(body), self.problem.reward.scaled(value))

    def give_up(self, body: Decided) -> None:
        """Take note that the reward of a decision never comes."""
        self.agent.give_up(self.decision_of(body))

    def as_plain(self) -> dict[str, Any]:
        """Return everything but the agent."""
        return {
            "mode": self.mode,
            "off": sorted(self.off),
            "share": self.share,
            "is_frozen": self.is_frozen,
            "last_arms": list(self.last_arms),
            "users": self.users.items(),  # not copied: a digest wants their number alone
        }

    def fill(self, plain: dict[str, Any], agent: Agent) -> None:
        """Take over what `as_plain` told, and the agent."""
        self.mode, self.share, self.is_frozen = plain["mode"], plain["share"], plain["is_frozen"]
        self.off = frozenset(plain["off"])
        for arm in plain["last_arms"]:
            self.note(arm)
        self.users = dict(plain.get("users", []))
        self.agent = agent


def _agent_of(problem: Problem) -> tuple[Agent, bool]:
    """Return the agent, and whether it plays arms, all of which are then always offered to it.

    Arms without features are offered as arms, since policies know more to do with them: some count
    decisions in flight there only.
    """
    if not problem.arms or problem.encoder is not None:
        try:
            return Agent(problem.policy, dimension=problem.dimension, seed=problem.seed), False
        except ValueError:
            if not problem.arms:
                raise
    return Agent(problem.policy, n_arms=len(problem.arms), seed=problem.seed), True
