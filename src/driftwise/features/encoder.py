"""From dictionaries to rows: what a policy sees of a context and of the actions on offer."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_known
from .declaration import Declaration, PerAction, declared
from .extension import Extension, extension_of
from .fields import Field
from .plan import Plan
from .roster import Roster, require_names

__all__ = ["Actions", "CompactRows", "Encoder"]

_NOWHERE: NDArray[np.intp] = np.empty(0, dtype=np.intp)

Features = Mapping[str, Any]
Actions = Mapping[str, Features] | Sequence[Features]


class CompactRows(NamedTuple):
    """Rows without the blocks that they leave at 0."""

    rows: NDArray[np.float64]  # (K, shared + own): shared columns, then those of the named action
    places: NDArray[np.intp]  # (K,), whose block the latter are; empty without terms per action


class Encoder:
    r"""Encodes dictionaries by declared fields; nothing is fitted, so that nothing leaks.

    A field, a cross term and a term per action is a block of columns of length at most 1 (crosses
    are outer products, whose length is the product of lengths). A row of n blocks is divided by
    :math:`\sqrt n`, so that its length is at most 1, up to rounding, whatever the values: a policy
    may be told ``action_norm=1`` before it has seen any.

    Columns are, in this order: fields of the context, of the action, crosses, and for each place of
    a named action the terms per action. A context by itself moves all actions alike; what it says
    about one rather than another it says in crosses and in terms per action.

    Parameters
    ----------
    context, action
        Fields by name. A dictionary may hold more than is declared; the rest is ignored.
    cross
        Terms of two or three fields, such as ``("action.price", "context.hour")``; a field twice
        gives its square.
    per_action
        Terms with coefficients of their own for each named action.
    blocks
        The n by whose root rows are divided, if that shall be more than there are: with room for
        fields to come, adding one leaves the old columns as they are.

    Examples
    --------
    >>> from driftwise.features import Category, Cycle, Encoder, Number
    >>> encoder = Encoder(
    ...     context={"hour": Cycle(24)},
    ...     action={"price": Number(5, 20), "brand": Category(["acme"])},
    ...     blocks=4,
    ... )
    >>> encoder.names
    ('context.hour sin 1', 'context.hour cos 1', 'action.price', 'action.brand=acme',
     'action.brand=?')
    >>> encoder.rows({"hour": 6}, [{"price": 20, "brand": "acme"}, {"price": 5, "brand": "other"}])
    array([[ 5.000000e-01,  3.061617e-17,  5.000000e-01,  5.000000e-01,
             0.000000e+00],
           [ 5.000000e-01,  3.061617e-17, -5.000000e-01,  0.000000e+00,
             5.000000e-01]])
    """

    def __init__(
        self,
        *,
        context: Mapping[str, Field] | None = None,
        action: Mapping[str, Field] | None = None,
        cross: Sequence[Sequence[str]] = (),
        per_action: PerAction | None = None,
        blocks: int | None = None,
    ) -> None:
        self._declaration = declared(context or {}, action or {}, cross, per_action, blocks)
        self._plan = Plan(self._declaration)
        self._shared, self._own = len(self._plan.shared), len(self._plan.own)
        self._first = self.roster() if self._own else None  # who is there if nobody came or went

    @classmethod
    def from_toml(cls, text_or_path: str | os.PathLike[str]) -> Encoder:
        """Return the encoder that a TOML text or file declares; errors name the line and the key.

        A text of one line that ends in ``.toml`` or has no ``=`` is the path of a file.

        Examples
        --------
        >>> encoder = Encoder.from_toml('''
        ... [action.price]
        ... kind = "number"
        ... low = 5
        ... high = 20
        ... ''')
        >>> encoder.dimension
        1
        """
        from .reading import parsed, text_of

        return parsed(text_of(text_or_path))

    def to_toml(self) -> str:
        """Return the declaration as TOML; `from_toml` makes an equal encoder of it."""
        from .writing import written

        return written(self._declaration)

    @property
    def declaration(self) -> Declaration:
        """What was declared, checked."""
        return self._declaration

    @property
    def dimension(self) -> int:
        """The length of a row."""
        return self._shared + self._declaration.places * self._own

    @property
    def n_places(self) -> int:
        """How many named actions have columns of their own at a time; 0 if none ever has."""
        return self._declaration.places

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each column of a row."""
        own = [
            f"place {place}: {name}"
            for place in range(self._declaration.places)
            for name in self._plan.own
        ]
        return (*self._plan.shared, *own)

    @property
    def digest(self) -> str:
        """A short text that tells a declaration from all others."""
        return hashlib.sha256(self.to_toml().encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def shared_columns(self) -> slice:
        """The columns that rows of all actions have in common."""
        return slice(0, self._shared)

    def columns_of(self, place: int) -> slice:
        """Return the columns that only the named action at a place touches."""
        if not 0 <= place < self._declaration.places:
            raise ValueError(f"place must be in [0, {self._declaration.places}), got {place}")
        start = self._shared + place * self._own
        return slice(start, start + self._own)

    def roster(self) -> Roster:
        """Return places for named actions, with those in theirs that are declared."""
        if not self._declaration.places:
            raise ValueError("an encoder must have terms per action to have places, got none")
        return Roster(self._declaration.places, self._declaration.names)

    def rows(
        self, context: Features, actions: Actions, roster: Roster | None = None
    ) -> NDArray[np.float64]:
        """Return the (K, d) decision set of a context and actions, in their order.

        Parameters
        ----------
        context
            A value for each field of the context.
        actions
            Named actions, or a list of actions without names: for each a dictionary with a value for
            each field of the action.
        roster
            Who has which place, for terms per action; those declared if left out.
        """
        compact, places = self.compact_rows(context, actions, roster)
        if not self._own:
            return compact
        rows = np.zeros((len(compact), self.dimension))
        rows[:, : self._shared] = compact[:, : self._shared]
        blocks = rows[:, self._shared :].reshape(len(compact), -1, self._own)
        blocks[np.arange(len(compact)), places] = compact[:, self._shared :]
        return rows

    def compact_rows(
        self, context: Features, actions: Actions, roster: Roster | None = None
    ) -> CompactRows:
        """Return the same without the columns of other places: what a row touches."""
        if isinstance(actions, Mapping):
            require_names(actions)
            offers: Sequence[Features] = list(actions.values())
        elif isinstance(actions, Sequence) and not isinstance(actions, str | bytes):
            offers = actions
        else:
            raise TypeError(f"actions must be a dictionary or a list, got {actions!r}")
        if not offers:
            raise ValueError("actions must have at least one action, got none")
        places = self._places(actions, roster) if self._own else _NOWHERE
        return CompactRows(self._plan.rows(context, offers, actions), places)

    def extension(self, wider: Encoder) -> Extension:
        """Return where the columns of this encoder are in one that declares the same and more.

        Fields, values of categories, terms and places may be added; what was there must stay.
        """
        return extension_of(self, wider)

    def _places(self, actions: Actions, roster: Roster | None) -> NDArray[np.intp]:
        if not isinstance(actions, Mapping):
            raise TypeError(
                "actions must have names, as in {'blue': {...}}, for terms per action, got a list"
            )
        roster = self._first if roster is None else roster
        if not isinstance(roster, Roster) or roster.n_places != self._declaration.places:
            rule = f"roster must have {self._declaration.places} places, as declared"
            raise ValueError(f"{rule}, got {roster!r}")
        places = roster.places
        try:
            return np.array([places[name] for name in actions])
        except KeyError:
            unplaced = next(name for name in actions if name not in places)
            raise ValueError(_without_place(unplaced, places)) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Encoder) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __reduce__(self) -> tuple[Any, ...]:
        return Encoder.from_toml, (self.to_toml(),)

    def __repr__(self) -> str:
        fields = ", ".join(self._declaration.fields)
        return f"<Encoder: {fields}; dimension={self.dimension}>"


def _without_place(name: str, places: Mapping[str, int]) -> str:
    try:
        require_known("an action", name, places)
    except ValueError as error:
        return f"{error} (a roster gives new names a place)"
    raise AssertionError("a name that is known has a place")
