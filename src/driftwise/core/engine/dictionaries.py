"""What an agent with an encoder is offered: dictionaries, and names that come and go."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..base.arrays import Matrix
from ..contract.decision import Forgotten
from ..contract.encoding import Actions, Encoder, Features, Roster

__all__ = ["Dictionaries", "Encoded"]


class Encoded(NamedTuple):
    """A decision set made of dictionaries."""

    rows: Matrix  # (K, d)
    names: list[str] | None  # of the rows, if they have names
    roster: Roster | None  # with a place for each name: the agent's once the rows are used


class Dictionaries:
    """An encoder, which place each named action has, and who was forgotten since the last decision."""

    __slots__ = ("encoder", "forgotten", "n_rewards", "roster")

    def __init__(self, encoder: Encoder, roster: Roster | None = None) -> None:
        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder must be one of driftwise.features, got {encoder!r}")
        self.encoder = encoder
        if roster is None and encoder.n_places:
            roster = encoder.roster()
        self.roster = roster
        self.n_rewards = 0  # that came, or were given up, since the last decision
        self.forgotten: tuple[Forgotten, ...] = ()  # since then

    def encoded(self, context: Features | None, actions: Actions | None) -> Encoded:
        """Return rows; a new name gets a place in a roster to come, so that an error changes nothing."""
        if actions is None:
            raise TypeError("actions must be given to an agent with an encoder, got none")
        names = list(actions) if isinstance(actions, Mapping) else None
        roster = self.roster
        if roster is not None and names is not None and not all(name in roster for name in names):
            roster = copy.deepcopy(roster)
            roster.admit(names)
        rows = self.encoder.rows({} if context is None else context, actions, roster)
        return Encoded(rows, names, roster)

    def one(self, context: Features | None, action: Any, name: str | None) -> Encoded:
        """Return the row of one action, by itself."""
        if name is None and self.roster is not None:
            raise TypeError("name must be given, for coefficients of its own, got none")
        return self.encoded(context, [action] if name is None else {name: action})

    def extended(self, encoder: Encoder) -> Dictionaries:
        """Return the same with a wider encoder: every name keeps its place."""
        wider = Dictionaries(encoder)
        wider.n_rewards, wider.forgotten = self.n_rewards, self.forgotten
        if wider.roster is not None and self.roster is not None:
            wider.roster = self.roster.enlarged(encoder.n_places)
            wider.roster.admit(encoder.roster())
        return wider

    def place_of(self, name: str | None) -> tuple[int, int] | None:
        """Return what a decision must keep so that a late reward finds the coefficients of its action."""
        if name is None or self.roster is None:
            return None
        place, tenure = self.roster.holding(name)
        return place, tenure

    def forget(self, name: str) -> None:
        """Free the place of a name; the next decision tells of it."""
        if self.roster is not None:
            place, _ = self.roster.holding(name)
            self.roster.forget(name)
            self.forgotten += (Forgotten(name, place, self.n_rewards),)

    def decided(self) -> tuple[Forgotten, ...]:
        """Return what a decision is to tell of the names forgotten since the one before."""
        told = self.forgotten
        self.n_rewards, self.forgotten = 0, ()
        return told

    def seat(self, name: str | None, place: tuple[int, int] | None) -> None:
        """Give a name the place that a decision tells of, if it has none."""
        if self.roster is not None and name is not None and place is not None:
            self.roster.seat(name, *place)

    def is_gone(self, name: str | None, place: tuple[int, int] | None) -> bool:
        """Return whether the action that had this place was forgotten since."""
        if name is None or place is None or self.roster is None:
            return False
        return name not in self.roster or tuple(self.roster.holding(name)) != tuple(place)
