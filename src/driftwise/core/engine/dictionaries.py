"""What an agent with an encoder is offered: dictionaries, and names that come and go."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..base.arrays import Matrix
from ..contract.encoding import Actions, Encoder, Features, Roster

__all__ = ["Dictionaries", "Encoded"]


class Encoded(NamedTuple):
    """A decision set made of dictionaries."""

    rows: Matrix  # (K, d)
    names: list[str] | None  # of the rows, if they have names
    roster: Roster | None  # with a place for each name: the agent's once the rows are used


class Dictionaries:
    """An encoder, and which place each named action has."""

    __slots__ = ("encoder", "roster")

    def __init__(self, encoder: Encoder, roster: Roster | None = None) -> None:
        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder must be one of driftwise.features, got {encoder!r}")
        self.encoder = encoder
        if roster is None and encoder.n_places:
            roster = encoder.roster()
        self.roster = roster

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
        return self.encoded(context, [action] if name is None else {name: action})

    def extended(self, encoder: Encoder) -> Dictionaries:
        """Return the same with a wider encoder: every name keeps its place."""
        wider = Dictionaries(encoder)
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

    def is_gone(self, name: str | None, place: tuple[int, int] | None) -> bool:
        """Return whether the action that had this place was forgotten since."""
        if name is None or place is None or self.roster is None:
            return False
        return name not in self.roster or tuple(self.roster.holding(name)) != tuple(place)
