"""Named actions of an agent: who has which place, who was forgotten, and what a log must tell of it."""

from __future__ import annotations

import copy

from ..contract.coordinates import forget, overwrite, require_coordinates
from ..contract.decision import Decision, Forgotten
from .dictionaries import Encoded
from .running import Running

__all__ = ["Naming"]

Named = tuple[str | None, tuple[int, int] | None, tuple[Forgotten, ...]]


class Naming(Running):
    """What `driftwise.Agent` does where actions have names."""

    def forget(self, name: str) -> None:
        """Forget a named action, and free the place of its own coefficients.

        Its coefficients return to what they are before anything is learnt, so that whoever gets the
        place next inherits nothing; a name that comes back starts anew. What its rewards said about
        the features that it shared stays, except in policies that keep the rounds of a window:
        there the rounds in which it was played are dropped. Rewards that are still to come for it
        teach nothing.

        Examples
        --------
        >>> import driftwise as dw
        >>> from driftwise.features import Constant, Encoder, PerAction
        >>> own = PerAction(["context.one"], places=2)
        >>> encoder = Encoder(context={"one": Constant(alone=False)}, per_action=own)
        >>> agent = dw.Agent(dw.LinUCB(noise=0.1), encoder=encoder, is_interpreted=True)
        >>> for name in ("blue", "red"):
        ...     agent.observe({}, 0.5, name=name)
        >>> agent.forget("blue")
        >>> agent.estimate
        array([0.  , 0.25])
        """
        with self._lock:
            dictionaries = self._dictionaries
            if dictionaries is None or dictionaries.roster is None:
                raise TypeError("forget is for agents whose encoder has terms per action")
            place, _ = dictionaries.roster.holding(name)
            require_coordinates(self._policy)
            memory = copy.deepcopy(self.memory)
            forget(memory, self._unlearnt().memory, dictionaries.encoder.columns_of(place))
            dictionaries.forget(name)
            overwrite(self.memory, memory)

    def _seated(self, encoded: Encoded, arm: int) -> Named:
        """Return name and place of an arm, and who was forgotten since the decision before.

        From now on all names on offer have their places.
        """
        _, names, roster = encoded
        dictionaries = self._dictionaries
        if names is None or dictionaries is None:
            return None, None, ()
        dictionaries.roster = roster
        return names[arm], dictionaries.place_of(names[arm]), dictionaries.decided()

    def _follow(self, decision: Decision) -> None:
        """Let names go and come as they had when a decision was made."""
        if self._dictionaries is not None:
            done = [each.name for each in self._dictionaries.forgotten]  # they may be back
            for each in decision.forgotten:
                if each.name not in done:
                    self._part_with(each.name, each.place)
            self._dictionaries.seat(decision.name, decision.place)
            self._dictionaries.decided()

    def _part_with(self, name: str, place: int | None = None) -> None:
        """Forget a name if it has a place, or had the given one without having been chosen."""
        roster = None if self._dictionaries is None else self._dictionaries.roster
        if roster is not None and place is not None:
            roster.seat(name, place)
        if roster is not None and name in roster:
            self.forget(name)

    def _hear(self) -> None:
        """Count a reward that came, or was given up."""
        if self._dictionaries is not None:
            self._dictionaries.n_rewards += 1

    def _is_gone(self, decision: Decision) -> bool:
        """Return whether the action of a decision was forgotten since."""
        return self._dictionaries is not None and self._dictionaries.is_gone(
            decision.name, decision.place
        )
