"""Who has which place: named actions come and go, and each has coefficients while it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..core.base.validation import require_integer, require_known

__all__ = ["Holding", "Roster", "require_names"]


class Holding(NamedTuple):
    """A place, and how many held it before: what a decision must remember for a late reward."""

    place: int
    tenure: int


class Roster:
    """Places for named actions.

    A new name gets a place that nobody has held yet, or the one that has been free for longest. A
    forgotten name gives its place back. `admit` tells which of the places that it gave away had
    belonged to others: what was learnt there is to be reset before anybody uses it.

    Parameters
    ----------
    places
        How many names there is room for at a time.
    names
        Who has a place from the start.

    Examples
    --------
    >>> roster = Roster(2, ["blue", "red"])
    >>> roster.forget("blue")
    >>> roster.admit(["red", "green"])
    [0]
    >>> roster.holding("green")
    Holding(place=0, tenure=1)
    """

    def __init__(self, places: int, names: Iterable[str] = ()) -> None:
        self._free = list(range(require_integer("places", places)))  # next to be given away first
        self._tenures = [-1] * len(self._free)  # of each place: how many held it before; -1: nobody
        self._places: dict[str, int] = {}
        self.admit(names)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Roster) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Roster: {len(self)} of {self.n_places} places held>"

    @property
    def n_places(self) -> int:
        """How many names there is room for."""
        return len(self._tenures)

    @property
    def places(self) -> Mapping[str, int]:
        """The place of each name: to be looked at, not changed."""
        return self._places

    def holding(self, name: str) -> Holding:
        """Return where a name is, and after how many others; a name without a place is an error."""
        place = self._places[require_known("action", name, self._places)]
        return Holding(place, self._tenures[place])

    def is_current(self, holding: Holding) -> bool:
        """Tell whether nobody else has come to a place since, nor its holder been forgotten."""
        place, tenure = holding
        return self._tenures[place] == tenure and place not in self._free

    def admit(self, names: Iterable[str]) -> list[int]:
        """Give a place to each name that has none; return those that had belonged to others.

        All of them or, with an error, none.
        """
        names = list(names)
        require_names(names)
        new = dict.fromkeys(name for name in names if name not in self._places)
        if len(new) > len(self._free):
            raise ValueError(
                f"places must be at least {len(self) + len(new)} for these names, "
                f"got {self.n_places}: forget some, or declare more places"
            )
        used = []
        for name in new:
            place = self._places[name] = self._free.pop(0)
            self._tenures[place] += 1
            if self._tenures[place]:
                used.append(place)
        return used

    def seat(self, name: str, place: int, tenure: int | None = None) -> None:
        """Give a name that has no place a certain one, as if so many had held it before.

        For going through a log: what was decided tells which place it was. Without a tenure the place
        is as it was with whoever had it last.

        Examples
        --------
        >>> roster = Roster(2, ["blue"])
        >>> roster.seat("red", 1, 4)
        >>> roster.holding("red")
        Holding(place=1, tenure=4)
        """
        if name in self._places:
            return
        if place not in self._free:
            holder = next((each for each, held in self._places.items() if held == place), "nobody")
            raise ValueError(
                f"place must be free for {name!r}, got {place} of {self.n_places}, held by {holder!r}"
            )
        self._free.remove(place)
        self._places[name] = place
        self._tenures[place] = max(self._tenures[place], 0) if tenure is None else tenure

    def forget(self, name: str) -> None:
        """Take the place back from a name; if it returns, it starts anew."""
        place = self._places.pop(require_known("action", name, self._places))
        self._free.append(place)

    def enlarged(self, places: int) -> Roster:
        """Return a roster in which everybody has the same place, with so many places.

        Examples
        --------
        >>> roster = Roster(1, ["blue"]).enlarged(2)
        >>> roster.admit(["red"]), dict(roster.places)
        ([], {'blue': 0, 'red': 1})
        """
        wider = Roster(require_integer("places", places, at_least=self.n_places))
        new = list(range(self.n_places, places))
        wider._places, wider._free = dict(self._places), [*self._free, *new]
        wider._tenures = [*self._tenures, *(-1 for _ in new)]
        return wider

    def as_dict(self) -> dict[str, Any]:
        """Return the roster as JSON-ready data."""
        return {"names": dict(self._places), "free": list(self._free), "tenures": [*self._tenures]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Roster:
        """Return the roster that `as_dict` was called on, or say what is wrong with the data."""
        damage = ValueError(f"a roster must have names, free and tenures that agree, got {data!r}")
        try:
            names, free, tenures = data["names"], data["free"], data["tenures"]
            held = [*names.values(), *free]
            is_sound = sorted(held) == list(range(len(tenures))) and len(tenures) > 0
            is_sound &= all(type(each) is int and each >= -1 for each in (*held, *tenures))
            is_sound &= all(tenures[place] >= 0 for place in names.values())
        except (KeyError, TypeError, AttributeError, IndexError):
            raise damage from None
        if not is_sound:
            raise damage
        roster = cls(len(tenures))
        roster._places, roster._free, roster._tenures = dict(names), list(free), list(tenures)
        return roster


def require_names(names: Iterable[Any]) -> None:
    """Say which name of an action is no string, if one is not."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"names of actions must be strings, got {name!r}")
