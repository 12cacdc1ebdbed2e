"""The record of a choice as plain numbers, which are all that an event keeps of it, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..core.contract.policy import Choice

__all__ = ["form_of", "numbers_in"]


class Form(NamedTuple):
    """How the record of a choice is built from the numbers in it."""

    kind: type[Any]
    items: tuple[Any, ...]  # a form where a tuple is, else None

    def filled(self, numbers: Iterable[Any]) -> Any:
        """Return the record with these numbers in it."""
        values = iter(numbers)
        if self.kind is Choice:
            return Choice(*values)
        items = [next(values) if each is None else each.filled(values) for each in self.items]
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
    return Form(
        type(record),
        tuple(form_of(item) if isinstance(item, tuple) else None for item in record),
    )
