"""What an agent asks of an encoder, which turns dictionaries into rows; the core knows nothing else of it."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ..base.arrays import Matrix
from .blocks import Blocked

__all__ = ["Actions", "Encoder", "Features", "Roster", "dimension_of", "encoder_of", "roster_of"]

Features = Mapping[str, Any]
Actions = Mapping[str, Features] | Sequence[Features]

_FEATURES = "driftwise.features"  # by name, as it lies above this room


class Roster(Protocol):
    """Who has which place, as `driftwise.features.Roster` keeps it."""

    def __contains__(self, name: object) -> bool: ...

    def admit(self, names: Iterable[str]) -> list[int]:
        """Give a place to each name that has none, all of them or, with an error, none."""

    def seat(self, name: str, place: int, tenure: int | None = None) -> None:
        """Give a name without a place a certain one, as if ``tenure`` others had held it before."""

    def forget(self, name: str) -> None:
        """Free the place of a name."""

    def holding(self, name: str) -> tuple[int, int]:
        """Return the place of a name, and how many held it before."""

    def enlarged(self, places: int) -> Any:
        """Return a roster in which everybody has the same place, with more places."""

    def as_dict(self) -> dict[str, Any]:
        """Return the roster as JSON-ready data."""


@runtime_checkable
class Encoder(Protocol):
    """Makes rows of dictionaries, as `driftwise.features.Encoder` does."""

    @property
    def dimension(self) -> int:
        """The length of a row."""

    @property
    def n_places(self) -> int:
        """How many named actions have columns of their own at a time; 0 if none ever has."""

    def roster(self) -> Any:
        """Return the places of named actions as they are before anybody came or went."""

    def rows(self, context: Features, actions: Actions, roster: Any = None) -> Matrix:
        """Return the (K, d) decision set of a context and actions, in their order."""

    @property
    def shared_columns(self) -> slice:
        """The columns that rows of all actions have in common."""

    def columns_of(self, place: int) -> slice:
        """Return the columns that only the named action at a place touches."""

    def extension(self, wider: Any) -> tuple[Any, float]:
        """Return where each column is in a wider encoder, and by what old rows exceed new ones."""

    def to_toml(self) -> str:
        """Return the declaration as text."""


def dimension_of(encoder: Encoder) -> int:
    """Return the length of rows, which knows its blocks if no two actions have a column in common.

    Examples
    --------
    >>> from driftwise.features import Constant, Encoder, PerAction
    >>> own = PerAction(["context.one"], places=3)
    >>> type(dimension_of(Encoder(context={"one": Constant(alone=False)}, per_action=own))).__name__
    'Blocked'
    >>> type(dimension_of(Encoder(context={"one": Constant()}, per_action=own))).__name__
    'int'
    """
    if encoder.n_places < 2 or encoder.shared_columns.stop > 0:
        return encoder.dimension
    return Blocked(encoder.n_places, encoder.dimension // encoder.n_places)


def encoder_of(declaration: str) -> Encoder:
    """Return the encoder that wrote a declaration."""
    made: Encoder = importlib.import_module(_FEATURES).Encoder.from_toml(declaration)
    return made


def roster_of(data: Any) -> Roster:
    """Return the roster that wrote such data, or say what is wrong with it."""
    made: Roster = importlib.import_module(_FEATURES).Roster.from_dict(data)
    return made
