"""The record of a choice as plain numbers, which are all that an event keeps of it, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

__all__ = ["form_of", "numbers_in"]


class Form(NamedTuple):
    """How the record of a choice is built from the numbers in it."""

    kind: type[Any]
    items: tuple[Any, ...]  # a form where a tuple is, else None
    is_flat: bool  # a named tuple without tuples inside

    def filled(self, numbers: Iterable[Any]) -> Any:
        """Return the record with these numbers in it."""
        return self.kind(*numbers) if self.is_flat else self._filled(iter(numbers))

    def _filled(self, values: Iterator[Any]) -> Any:
        items = [next(values) if each is None else each._filled(values) for each in self.items]
        return tuple(items) if self.kind is tuple else self.kind(*items)


def numbers_in(record: Any) -> list[Any]:
    """Return the numbers in the record of a choice, those of inner records in their place."""
    found: list[Any] = []
    for item in record:
        if isinstance(item, tuple):
            found += numbers_in(item)
        else:
            found.append(item)
    return found


def form_of(record: Any) -> Form:
    """Return how a record is built from the numbers in it."""
    kind = type(record)
    items = tuple(form_of(item) if isinstance(item, tuple) else None for item in record)
    return Form(kind, items, kind is not tuple and not any(items))
