"""Deciding and learning: from what is offered to a decision, and from a reward to what is learnt."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Matrix, Vector
from ..base.validation import (
    LARGEST_REWARD,
    require_actions,
    require_fraction,
    require_reward,
)
from ..contract.decision import Decision, require_sound
from ..contract.encoding import Actions, Features
from ..contract.played import as_foreign
from ..contract.policy import is_accepted
from ..contract.rows import no_such_arm
from ..contract.unit_ball import UnitBall
from ..explain.explaining import explained
from ..randomness import draws
from .calls import NO_NUMBERS, NO_SUCH_ARM, TOO_LONG
from .dictionaries import Encoded
from .naming import Naming

__all__ = ["Deciding"]

_OBSERVING = -2  # names the luck of what was observed; -1 is that of the first memory


class Deciding(Naming):
    """What `driftwise.Agent` does round by round."""

    def explain(
        self,
        decision_set: ArrayLike | None = None,
        *,
        context: Features | None = None,
        actions: Actions | None = None,
    ) -> dict[str, Any]:
        """Return what the policy believes and why it would play what it would, as plain data.

        Action by action if there is a decision set, here or from the start; for the keys see
        `driftwise.core.explain.explaining.explained`. Nothing is learnt, and no luck is spent.
        """
        is_given = decision_set is not None or actions is not None
        has_rows = is_given or isinstance(self._offers.fixed, np.ndarray)
        with self._lock:
            rows = self._offered(decision_set, context, actions).rows if has_rows else None
            if is_given and rows is not None:
                rows = require_actions("decision_set", rows, shape=rows.shape)
            return explained(self._policy, self.memory, rows)

    def choose(
        self,
        decision_set: ArrayLike | UnitBall | None = None,
        *,
        context: Features | None = None,
        actions: Actions | None = None,
    ) -> Decision:
        """Return what to play; without a decision set, from the one given at the start.

        No coordinate of an action may exceed 1e30 in magnitude.

        Parameters
        ----------
        decision_set
            Rows to choose from, if the agent has no encoder.
        context, actions
            If it has one: a dictionary, and a list of dictionaries or a dictionary of named ones. The
            decision then holds the name. A new name gets a place, if actions have
            coefficients of their own.
        """
        offers, expected, encoded = self._offers, self._expected, None
        with self._lock:
            if self._dictionaries is None and context is None and actions is None:
                rows = offers.rows(decision_set)
            else:
                encoded = self._offered(decision_set, context, actions)
                rows = encoded.rows
            if self._open is not None:
                self._expect_open(None if rows is offers.fixed else rows)
            fault, luck, choice = self._calls.choose(
                rows, rows is offers.fixed, self._luck, self._n_choices, expected.length
            )
            if fault == NO_NUMBERS:
                require_actions("decision_set", rows, shape=rows.shape)
            elif fault == NO_SUCH_ARM:
                raise no_such_arm(self._policy, choice.arm, len(rows), self._n_choices + 1)
            elif fault == TOO_LONG:
                expected.warn_of_length()
            self._n_choices += 1
            arm = choice.arm
            decision = Decision(
                arm, rows[arm].copy(), choice.propensity, choice.value, luck, choice, self._fingerprint,
                *(() if encoded is None else self._seated(encoded, arm)),
            )  # fmt: skip
            if self._knows_flight:
                self._open = decision
            if self._recorder is not None:
                self._recorder.chosen(self._n_choices, decision)
        return decision

    def propensities(
        self,
        decision: Decision,
        decision_set: ArrayLike | None = None,
        *,
        context: Features | None = None,
        actions: Actions | None = None,
    ) -> Vector:
        """Return the probability with which each row on offer could have been chosen: for a log.

        Of `Exploring`; ask before anything is learnt, with what the decision was made from: if the
        probability of what it chose is another one now, that is an error.
        """
        if not hasattr(self._policy, "chances_in"):
            raise TypeError(f"policy must be an Exploring, got a {type(self._policy).__name__}")
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        with self._lock:
            rows = self._offered(decision_set, context, actions).rows
            chances = self._calls.chances(rows, decision.luck)
        now = float(chances[decision.arm]) if decision.arm < len(chances) else 0.0
        if now != decision.propensity:
            raise ValueError(
                f"propensities must be asked for before anything is learnt or chosen, with what the "
                f"decision was made from: got {now:.6g} of what it chose after {decision.propensity:.6g}"
            )
        return chances

    def learn(self, decision: Decision, reward: float) -> None:
        """Take in the reward of a decision, now or later, in whatever order rewards come.

        A reward may not exceed 1e100 in magnitude, so that no memory overflows.
        A decision that is learnt twice counts twice. One whose action was forgotten since (see
        `forget`) teaches nothing: it is given up.
        """
        expected = self._expected
        # Nearly always it is such a number, and further checks take as long as learning does.
        is_expected = type(reward) is float and -expected.reward <= reward <= expected.reward
        if not is_expected:
            reward = require_reward(reward, largest=LARGEST_REWARD)
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        with self._lock:
            if self._is_gone(decision):
                self.give_up(decision)
                return
            self._hear()
            if not is_expected and abs(reward) > expected.reward:
                expected.warn_of_reward()
            is_open = self._is_open(decision)
            _, action, _, _, luck, choice, *_ = decision
            if not self._calls.learn(action, choice, reward, luck, was_expected=not is_open):
                self._refuse(decision)
            if is_open:
                self._open = None
            if self._recorder is not None:
                self._recorder.learnt(luck, reward)

    def observe(
        self,
        action: Any,
        reward: float,
        *,
        context: Features | None = None,
        name: str | None = None,
        propensity: float | None = None,
    ) -> None:
        """Learn what came of an action that somebody else chose; no decision of this agent is needed.

        All policies of the package can. `Exp3`, `Exp3S` and `Rexp3`, alone or inside others, learn
        from rewards over their propensities, and need to be told that of the choice. In
        `BanditOverBandit`, `Corral` and `Master` the policy in play learns; what such a reward adds
        to the comparison of settings or bases is noise.

        Parameters
        ----------
        action
            The row that was played, or its index if the decision set never changes; with an
            encoder the dictionary.
        reward
            What came of it.
        context, name
            With an encoder: the context, and the name of the action if actions have names.
        propensity
            The probability with which it was chosen, if that is known.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.LinUCB(noise=0.1), dimension=2, is_interpreted=True)
        >>> agent.observe([1.0, 0.0], reward=0.5)
        >>> agent.estimate
        array([0.25, 0.  ])
        """
        reward, chance = require_reward(reward, largest=LARGEST_REWARD), math.nan
        if propensity is not None:
            chance = require_fraction("propensity", propensity, inclusive=True)
        with self._lock:
            if self._dictionaries is not None:
                rows, _, roster = self._dictionaries.one(context, action, name)
                self._take(0, rows, reward, chance)
                self._dictionaries.roster = roster
                return
            if context is not None or name is not None:
                raise TypeError("context and name must be left out without an encoder, got one")
            arm, row = self._offers.placed(action)
            fixed = self._offers.fixed
            has_rows = isinstance(fixed, np.ndarray)
            self._take(arm, fixed if has_rows else row[np.newaxis], reward, chance)  # type: ignore[arg-type]  # has rows

    def _take(self, arm: int, rows: Matrix, reward: float, propensity: float) -> None:
        """Learn from an arm that was played, whoever chose it."""
        expected, is_known = self._expected, rows is self._offers.fixed
        luck = draws.fork(self._luck, _OBSERVING)
        action = rows[arm].copy()  # a policy on the unit ball writes into the row
        fault, luck, choice = self._calls.choose(
            rows, is_known, luck, self._n_observed, expected.length
        )
        if fault == NO_NUMBERS:
            require_actions("action", rows, shape=rows.shape)
        record = as_foreign(choice, arm, propensity)
        if not is_accepted(self._policy, record):
            raise ValueError(
                f"propensity must be given: {type(self._policy).__name__} learns from rewards over "
                f"the propensities of their actions, got none"
            )
        if fault == TOO_LONG:
            expected.warn_of_length()
        if abs(reward) > expected.reward:
            expected.warn_of_reward()
        self._calls.learn(action, record, reward, luck, was_expected=False)
        self._n_observed += 1

    def give_up(self, decision: Decision) -> None:
        """Take note that the reward of a decision will never come.

        Policies that count decisions in flight count it no longer. Nothing is learnt. This is optional:
        what is never heard of again fades by itself.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.UCB1(), n_arms=2)
        >>> agent.give_up(agent.choose())
        """
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        with self._lock:
            self._hear()
            if self._is_open(decision):
                self._open = None
            elif not self._calls.settle(decision.action, decision.choice, decision.luck):
                self._refuse(decision)

    def _offered(
        self,
        decision_set: ArrayLike | UnitBall | None,
        context: Features | None,
        actions: Actions | None,
    ) -> Encoded:
        if self._dictionaries is None:
            if context is not None or actions is not None:
                raise TypeError("context and actions must be left out without an encoder, got one")
            return Encoded(self._offers.rows(decision_set), None, None)
        if decision_set is not None:
            raise TypeError("decision_set must be left out with an encoder, got one")
        return self._dictionaries.encoded(context, actions)

    def _made(self, decision: Decision) -> None:
        """Change the state as `choose` did when it returned this decision."""
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        self._follow(decision)
        self._expect_open(None)
        if self._knows_flight:
            self._open = decision

    def _is_open(self, decision: Decision) -> bool:
        """Return whether it is the last one, and no other choice was due since."""
        return self._open is not None and self._open.luck == decision.luck

    def _expect_open(self, offer: Matrix | None) -> None:
        """Tell the policy that the last decision is in flight, if a choice from this offer comes next."""
        last = self._open
        if last is not None and self._calls.expect(last.action, last.choice, last.luck, offer):
            self._open = None

    def _refuse(self, decision: Decision) -> None:
        require_actions("action", decision.action, shape=self._offers.shape[1:])
        require_fraction("propensity", decision.choice.propensity, inclusive=True)
