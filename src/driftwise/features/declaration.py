"""What is declared: fields, terms made of them, and who has coefficients of their own; checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.validation import require_integer, require_known
from .category import Category
from .fields import Constant, Cycle, Field, Flag, Number
from .spelling import twice_in

__all__ = ["KINDS", "SIDES", "Declaration", "PerAction", "Term", "declared"]

SIDES = ("context", "action")
KINDS: dict[str, type[Any]] = {cls.kind: cls for cls in (Number, Category, Cycle, Flag, Constant)}
_MOST_FIELDS = 3  # of a term
_MOST_COLUMNS = 1_000_000  # more of them nobody means, and their names would fill the memory

Term = tuple[str, ...]  # paths, such as ("action.price", "context.hour")


@dataclass(frozen=True)
class PerAction:
    """Terms with coefficients of their own for each named action: a disjoint model, or a part of one.

    Parameters
    ----------
    terms
        Each a field, such as ``"context.hour"``, or two or three fields whose product is meant.
    names
        The actions that have a place from the start.
    places
        How many actions have coefficients at a time; as many as ``names`` if left out.
    """

    terms: Sequence[str | Sequence[str]]
    names: Sequence[str] = ()
    places: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", _terms("per_action.terms", self.terms, least=1))
        if not self.terms:
            raise RuleValueError("per_action.terms", "have at least one term", (), "none")
        names = _list("per_action.names", self.names)
        for name in names:
            if not isinstance(name, str):
                raise RuleTypeError("per_action.names", "be strings", name)
        if (twice := twice_in(names)) is not None:
            raise RuleValueError("per_action.names", "differ", twice, f"{twice!r} twice")
        object.__setattr__(self, "names", names)
        if self.places is None and not names:
            raise RuleValueError(
                "per_action.places",
                "be given, or per_action.names: how many actions have coefficients of their own at a "
                "time",
                shown="neither",
            )
        places = len(names) if self.places is None else self.places
        least = max(1, len(names))
        places = require_integer("per_action.places", places, at_least=least)
        object.__setattr__(self, "places", places)


class Declaration(NamedTuple):
    """A declaration that was checked."""

    fields: dict[str, Field]  # by path, such as "context.hour": first the context, then the action
    cross: tuple[Term, ...]
    own: tuple[Term, ...]  # of each named action
    names: tuple[str, ...]  # of actions with a place from the start
    places: int  # 0 without terms of named actions
    blocks: int  # rows are divided by the root of it

    @property
    def scale(self) -> float:
        """What every column is multiplied with, so that no row is longer than 1."""
        return 1.0 / math.sqrt(self.blocks)

    @property
    def n_blocks(self) -> int:
        """How many blocks of length at most 1 a row has."""
        return _count_blocks(self.fields.values(), self.cross, self.own)


def declared(
    context: Mapping[str, Field],
    action: Mapping[str, Field],
    cross: Sequence[Sequence[str]],
    per_action: PerAction | None,
    blocks: int | None,
) -> Declaration:
    """Return a declaration, or say what is wrong with it."""
    fields: dict[str, Field] = {}
    for side, given in zip(SIDES, (context, action), strict=True):
        if not isinstance(given, Mapping):
            raise RuleTypeError(side, "be a dictionary of fields", given)
        for name, field in given.items():
            if not isinstance(name, str) or not name:
                raise RuleTypeError(side, "name its fields by strings", name)
            if type(field) not in KINDS.values():
                kinds = ", ".join(cls.__name__ for cls in KINDS.values())
                raise RuleTypeError(f"{side}.{name}", f"be one of {kinds}", field)
            fields[f"{side}.{name}"] = field
    if per_action is not None and not isinstance(per_action, PerAction):
        raise RuleTypeError("per_action", "be a PerAction", per_action)
    crosses = _terms("cross", cross, least=2)
    own = () if per_action is None else _terms("per_action.terms", per_action.terms, least=1)
    for name, terms in (("cross", crosses), ("per_action.terms", own)):
        for path in (path for term in terms for path in term):
            try:
                require_known("a field", path, fields)
            except ValueError as error:
                rule = f"be made of declared fields: {error}"
                raise RuleValueError(name, rule, path, "") from None
    least = _count_blocks(fields.values(), crosses, own)
    if not least:
        raise RuleValueError(
            "an encoder", "have at least one field that is not for terms only", shown=""
        )
    blocks = least if blocks is None else require_integer("blocks", blocks, at_least=least)
    names = () if per_action is None else tuple(per_action.names)
    places = 0 if per_action is None else per_action.places or 0
    columns = sum(field.width() for field in fields.values())
    columns += sum(_width(term, fields) for term in crosses)
    columns += max(1, places) * sum(_width(term, fields) for term in own)
    if columns > _MOST_COLUMNS:
        raise RuleValueError("columns", f"be at most {_MOST_COLUMNS} in all", columns)
    return Declaration(fields, crosses, own, names, places, blocks)


def _count_blocks(fields: Iterable[Field], cross: Sequence[Term], own: Sequence[Term]) -> int:
    return sum(field.alone for field in fields) + len(cross) + len(own)


def _width(term: Term, fields: Mapping[str, Field]) -> int:
    return math.prod(fields[path].width() for path in term)


def _terms(name: str, terms: Any, least: int) -> tuple[Term, ...]:
    """Return terms as tuples of paths, each given once."""
    found: list[Term] = []
    for term in _list(name, terms):
        paths = (term,) if isinstance(term, str) else _list(name, term)
        is_sound = least <= len(paths) <= _MOST_FIELDS
        if not is_sound or not all(isinstance(path, str) for path in paths):
            rule = f"have terms of {least} to {_MOST_FIELDS} fields each, such as 'action.price'"
            raise RuleValueError(name, rule, term)
        if any(sorted(paths) == sorted(other) for other in found):
            raise RuleValueError(name, "have each term once", term, f"{term!r} twice")
        found.append(paths)
    return tuple(found)


def _list(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise RuleTypeError(name, "be a list", values)
    return tuple(values)
