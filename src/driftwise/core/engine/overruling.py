"""What was played instead of what an agent chose, and decisions that a twin of it made."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contract.decision import Decision, require_sound
from ..contract.encoding import Features
from ..contract.played import as_played
from .deciding import Deciding

__all__ = ["Overruling"]


class Overruling(Deciding):
    """What `driftwise.Agent` takes from others."""

    def played(
        self,
        decision: Decision,
        arm: int,
        action: Any,
        propensity: float,
        *,
        context: Features | None = None,
        name: str | None = None,
    ) -> Decision:
        """Return a decision as it is when another row of its set was played, with some probability.

        For a person, a rule or exploration that overrules the policy. Where the policy counts decisions
        in flight, what was played is in flight; so say it before the next choice. With an encoder the
        action is a dictionary, and has a context and perhaps a name, as for `observe`.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.LinUCB(noise=0.1), dimension=2)
        >>> rows = [[1.0, 0.0], [0.0, 1.0]]
        >>> other = agent.played(agent.choose(rows), 1, rows[1], propensity=0.01)
        >>> other.arm, other.propensity
        (1, 0.01)
        >>> agent.learn(other, 1.0)
        """
        choice = as_played(decision.choice, arm, float(propensity))
        is_same = arm == decision.arm and action is decision.action
        named = (decision.name, decision.place) if arm == decision.arm else (None, None)
        if is_same:
            row = decision.action
        elif self._dictionaries is not None:
            with self._lock:
                row = self._dictionaries.one(context, action, name).rows[0]
                named = name, self._dictionaries.place_of(name)
        else:
            row = np.array(action, dtype=np.float64)
        made = Decision(
            arm, row, choice.propensity, choice.value, decision.luck, choice, decision.policy, *named,
            decision.forgotten,
        )  # fmt: skip
        with self._lock:
            is_open = self._is_open(decision)
            # The row that was chosen here just now is sound, and to look takes as long as to choose.
            if not (is_same and is_open):
                require_sound(made, self._policy, self._fingerprint, self._offers)
            if is_open:
                self._open = made
        return made

    def note(self, decision: Decision) -> None:
        """Take over a decision that a twin of this agent made, so that both choose the same next.

        With `learn` and `give_up` it rebuilds an agent from a log, as `replayed` does, piece by piece.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent, twin = (dw.Agent(dw.UCB1(), n_arms=2) for _ in range(2))
        >>> twin.note(agent.choose())
        >>> twin.choose().luck == agent.choose().luck
        True
        """
        with self._lock:
            self._made(decision)
            self._n_choices += 1
