"""Declarations and what is encoded by them, drawn by Hypothesis; and an encoder written for reading."""

from __future__ import annotations

import dataclasses
import itertools
import math
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from driftwise.features import Category, Constant, Cycle, Encoder, Flag, Number, PerAction
from driftwise.features.declaration import Declaration
from driftwise.features.fields import Field

# Drawing is slow where others use the machine; that is no fault of a test.
few, many = (
    settings(
        derandomize=True,
        deadline=None,
        max_examples=number,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    for number in (50, 150)
)


class Case(NamedTuple):
    """An encoder, and one decision set to encode."""

    declared: dict[str, Any]  # what an encoder is made of
    context: dict[str, Any]
    actions: dict[str, dict[str, Any]]

    @property
    def encoder(self) -> Encoder:
        return Encoder(**self.declared)


WORDS = st.text(max_size=6)
ABSENT = object()  # stands for a key that is not there
ENDS = st.floats(-1e6, 1e6)
ALONE = st.sampled_from([True, True, False])
MISSING = st.sampled_from(["refuse", "refuse", "own column"])


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    low = draw(ENDS)
    high = low + draw(st.floats(1e-3, 1e6))
    if draw(st.booleans()):
        low, high = abs(low) + 1e-3, abs(low) + 2e-3 + high - low
        return Number(low, high, log=True, alone=draw(ALONE), missing=draw(MISSING))
    return Number(low, high, alone=draw(ALONE), missing=draw(MISSING))


FIELDS = st.one_of(
    numbers(),
    st.builds(Cycle, st.floats(1e-2, 1e4), st.integers(1, 4), alone=ALONE, missing=MISSING),
    st.builds(
        Category,
        st.lists(WORDS, min_size=1, max_size=4, unique=True),
        unknown=st.just("own column"),
        alone=ALONE,
        missing=MISSING,
    ),
    st.builds(Category, buckets=st.integers(1, 5), alone=ALONE, missing=MISSING),
    st.builds(Flag, alone=ALONE, missing=MISSING),
    st.builds(Constant, alone=ALONE),
)


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Return whatever a field may be given, mostly what was not thought of."""
    if field.may_miss:
        whole = dataclasses.replace(field, missing="refuse")
        return st.one_of(values_of(whole), st.sampled_from([None, math.nan, ABSENT]))
    if isinstance(field, Number | Cycle):
        return st.one_of(st.floats(-1e100, 1e100), st.integers(-(10**9), 10**9))
    if isinstance(field, Category):
        known = list(map(str, field.values)) or ["word"]
        return st.one_of(st.sampled_from(known), WORDS, st.integers(-3, 3), st.none())
    return st.booleans()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw an encoder with any fields and terms, and a decision set."""
    fields = {
        side: draw(st.dictionaries(WORDS.filter(bool), FIELDS, min_size=1, max_size=4))
        for side in ("context", "action")
    }
    fields["context"]["always"] = Constant()  # at least one column
    paths = [f"{side}.{name}" for side, given in fields.items() for name in given]
    terms = st.lists(
        st.lists(st.sampled_from(paths), min_size=2, max_size=3).map(tuple),
        max_size=2,
        unique_by=lambda term: tuple(sorted(term)),
    )
    names = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    own = None
    if draw(st.booleans()):
        chosen = [*draw(terms), draw(st.sampled_from(paths))]
        own = PerAction(chosen, names, len(names) + draw(st.integers(0, 2)))
    declared: dict[str, Any] = {**fields, "cross": draw(terms), "per_action": own}
    declared["blocks"] = draw(st.sampled_from([None, 30]))
    context, *features = (
        {
            name: value
            for name, field in fields[side].items()
            if (value := draw(values_of(field))) is not ABSENT
        }
        for side in ["context"] + ["action"] * len(names)
    )
    return Case(declared, context, dict(zip(names, features, strict=True)))


def plain_row(
    declaration: Declaration, context: Mapping[str, Any], action: Mapping[str, Any], place: int
) -> list[float]:
    """Encode one action, slowly and plainly."""
    given = {f"context.{name}": value for name, value in context.items()}
    given |= {f"action.{name}": value for name, value in action.items()}
    blocks = {
        path: _block(path.partition(".")[2], field, given.get(path))
        for path, field in declaration.fields.items()
    }

    def product(term: tuple[str, ...]) -> list[float]:
        return [math.prod(each) for each in itertools.product(*(blocks[path] for path in term))]

    row = [x for path, field in declaration.fields.items() if field.alone for x in blocks[path]]
    row += [x for term in declaration.cross for x in product(term)]
    own = [x for term in declaration.own for x in product(term)]
    for each in range(declaration.places):
        row += own if each == place else [0.0] * len(own)
    return [x / math.sqrt(declaration.blocks) for x in row]


def _block(name: str, field: Field, value: Any) -> list[float]:
    if field.may_miss:
        whole = dataclasses.replace(field, missing="refuse")
        if value is None or value != value:
            return [0.0] * whole.width() + [1.0]
        return [*_block(name, whole, value), 0.0]
    if isinstance(field, Number):
        shape = math.log if field.log else float
        low, high = shape(field.low), shape(field.high)
        inside = shape(min(max(value, field.low), field.high))
        return [2 * (inside - low) / (high - low) - 1]
    if isinstance(field, Cycle):
        turn = 2 * math.pi * math.fmod(value, field.period) / field.period
        waves = range(1, field.harmonics + 1)
        pairs = [wave(k * turn) for k in waves for wave in (math.sin, math.cos)]
        return [x / math.sqrt(field.harmonics) for x in pairs]
    if isinstance(field, Category) and field.buckets is not None:
        block = [0.0] * field.buckets
        if value is not None:
            code = zlib.crc32(f"{name}={value}".encode())
            block[code % field.buckets] = 1.0 if code < 2**31 else -1.0
        return block
    if isinstance(field, Category):
        known = [str(value) == word and value is not None for word in field.values]
        return [float(is_it) for is_it in (*known, not any(known))]
    return [float(value)] if isinstance(field, Flag) else [1.0]
