"""A declaration made ready to encode: where each column lies, and what writes it."""

from __future__ import annotations

import difflib
import itertools
import reprlib
from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from .declaration import Declaration, Term
from .fields import Cells, Constant, Write, is_missing
from .spelling import spelled

__all__ = ["Plan"]

_MAY_MISS = """declare missing = "own column" if it may be missing"""


class _Entry(NamedTuple):
    """One field at work."""

    key: str  # in the dictionary of the context or of the action
    start: int  # its first column
    write: Write
    may_miss: bool


class Plan:
    """Encodes; knows nothing of places.

    Cells are laid out row by row: fields that only terms use, other fields of the context, of the
    action, crosses, products for named actions. The row of the context is written once and repeated
    for each action.
    """

    def __init__(self, declaration: Declaration) -> None:
        fields = declaration.fields
        shown = [path for path, field in fields.items() if field.alone]
        hidden = [path for path in fields if path not in shown]
        # Of a term with one field the columns are there already; it is not worked out again.
        own = (term for term in declaration.own if len(term) > 1)
        products = list(dict.fromkeys([*declaration.cross, *own]))
        self._columns: dict[Term, slice] = {}  # of each field and each product
        self._names: list[str] = []  # of all columns
        for term in [*((path,) for path in (*hidden, *shown)), *products]:
            start = len(self._names)
            self._names += _names(term, declaration)
            self._columns[term] = slice(start, len(self._names))
        self._products = [
            (self._columns[term], [self._columns[path,] for path in term]) for term in products
        ]
        kept: list[Term] = [*((path,) for path in shown), *declaration.cross]
        self.shared, self.own = self._names_of(kept), self._names_of(declaration.own)
        self._kept = self._compact(kept + list(declaration.own))
        self._scale = declaration.scale
        self._template = array("d", bytes(8 * len(self._names)))
        self._entries: dict[str, list[_Entry]] = {"context": [], "action": []}
        for path, field in fields.items():
            side, _, key = path.partition(".")
            start, write = self._columns[path,].start, field.writer(key, path)
            entry = _Entry(key, start, write, field.may_miss)
            if isinstance(field, Constant):
                entry.write(self._template, entry.start, None)
            else:
                self._entries[side].append(entry)
        self._absent = {
            side: {entry.key: None for entry in entries if entry.may_miss}
            for side, entries in self._entries.items()
        }

    def rows(
        self,
        context: Mapping[str, Any],
        offers: Sequence[Mapping[str, Any]],
        actions: Collection[Any],
    ) -> NDArray[np.float64]:
        """Return one row per offer, without places; ``actions`` are the same, perhaps with names."""
        width = len(self._template)
        row = self._template[:]
        try:
            whole = self._completed("context", [context])
            for key, start, write, _ in self._entries["context"]:
                write(row, start, whole[0][key])
            cells = row * len(offers)
            whole = self._completed("action", offers)
            for key, start, write, _ in self._entries["action"]:
                for features in whole:
                    write(cells, start, features[key])
                    start += width
        except (LookupError, TypeError, ValueError):
            self._complain(context, offers, actions)
            raise
        rows = np.frombuffer(cells).reshape(-1, width)
        for target, factors in self._products:
            product = rows[:, factors[0]]
            for factor in factors[1:]:
                outer = product[:, :, None] * rows[:, None, factor]
                product = outer.reshape(len(rows), -1)
            rows[:, target] = product
        return rows[:, self._kept] * self._scale

    def _completed(
        self, side: str, given: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Return dictionaries with None for what may be missing and is."""
        absent = self._absent[side]
        return [{**absent, **features} for features in given] if absent else given

    def _compact(self, terms: Sequence[Term]) -> slice | NDArray[np.intp]:
        """Return the columns of terms, as a slice if they lie in order side by side."""
        parts = [self._columns[term] for term in terms]
        if all(one.stop == other.start for one, other in itertools.pairwise(parts)):
            return slice(parts[0].start, parts[-1].stop)
        return np.concatenate([np.arange(part.start, part.stop) for part in parts])

    def _names_of(self, terms: Sequence[Term]) -> list[str]:
        return [name for term in terms for name in self._names[self._columns[term]]]

    def _complain(self, context: Any, offers: Sequence[Any], actions: Collection[Any]) -> None:
        """Say which value of which field of which action is wrong."""
        labels = [f"{i} of {len(offers)}" for i in range(1, len(offers) + 1)]
        if isinstance(actions, Mapping):
            labels = list(map(repr, actions))
        scratch = self._template[:]
        _check("context", context, self._entries["context"], scratch, "")
        for features, label in zip(offers, labels, strict=True):
            _check("action", features, self._entries["action"], scratch, f" (in action {label})")


def _names(term: Term, declaration: Declaration) -> list[str]:
    factors = []
    for path in term:
        side, _, key = path.partition(".")
        factors.append(
            [f"{side}.{spelled(key)}{end}" for end in declaration.fields[path].columns()]
        )
    return ["*".join(parts) for parts in itertools.product(*factors)]


def _check(
    side: str, given: Any, entries: Sequence[_Entry], scratch: Cells[float], where: str
) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{side} must be a dictionary, got {reprlib.repr(given)}{where}")
    for key, start, write, may_miss in entries:
        if key not in given and not may_miss:
            _complain_of_absent(side, key, [str(each) for each in given], where)
        value = given.get(key)
        try:
            write(scratch, start, value)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            hint = f"; {_MAY_MISS}" if is_missing(value) else ""
            raise kind(f"{error}{where}{hint}") from None


def _complain_of_absent(side: str, key: str, given: Sequence[str], where: str) -> NoReturn:
    near = difflib.get_close_matches(key, given, n=1, cutoff=0.5)
    hint = f"did you mean {key!r} by {near[0]!r}?" if near else _MAY_MISS
    fields = reprlib.repr(list(given)) if given else "no fields"
    raise ValueError(f"{side} must have the field {key!r}, got {fields}{where}; {hint}")
