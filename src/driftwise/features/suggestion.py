"""A declaration proposed from the first part of a log, with the reasons beside it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import Any

from ..core.base.validation import LARGEST
from .category import Category
from .declaration import PerAction, declared
from .fields import OWN_COLUMN, Constant, Cycle, Field, Flag, Number, is_missing
from .samples import Sample, read_sample
from .spelling import quoted, spelled
from .writing import written

__all__ = ["suggest"]

_MOST_VALUES = 20  # more words than these are hashed
_MOST_BUCKETS = 256
_MOST_NAMES = 50  # more named actions than these get no coefficients of their own
_LONG_TAIL = 100.0  # the largest over the least, from where on logarithms are proposed,
_SMALL = 0.2  # if half of the numbers lie in this part of the range
_PERIODS = {"minute": 60, "hour": 24, "weekday": 7, "day_of_week": 7, "month": 12, "week": 52}
_DIGITS = 2  # that ends of ranges are rounded to, outwards


def suggest(path: str | os.PathLike[str], first: int = 1000) -> str:
    r"""Return a declaration as TOML, proposed from the first events of a log; look it over.

    The ranges and words seen in these events are written down as numbers and names. Nothing later
    than them is read, so that the rest of the log can be used to evaluate what is learnt with it.

    Parameters
    ----------
    path
        A log: JSON Lines (``.jsonl``, ``.ndjson``), Parquet or CSV; the last two need polars. Each
        event has a ``context`` and ``actions``, which may be mere names, or flat columns such as ``context.hour`` and
        ``action.price``.
    first
        How many events to look at.

    Examples
    --------
    >>> import tempfile
    >>> event = '{"context": {"hour": %d}, "actions": [{"price": %d}]}'
    >>> lines = [event % (i % 24, i + 1) for i in range(50)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "log.jsonl")
    ...     written = log.write_text("\n".join(lines))
    ...     print(suggest(log, first=30))
    # Proposed from the first 30 events of log.jsonl; look it over.
    # context.hour: numbers from 0 to 23; by its name it comes round after 24
    # action.price: numbers from 1 to 30
    # A context by itself moves all actions alike: add crosses of what depends on each other, such as
    # [cross]
    # terms = [["action.price", "context.hour"]]
    <BLANKLINE>
    [context.constant]
    kind = "constant"
    <BLANKLINE>
    [context.hour]
    kind = "cycle"
    period = 24.0
    harmonics = 2
    <BLANKLINE>
    [action.price]
    kind = "number"
    low = 1.0
    high = 30.0
    <BLANKLINE>
    """
    path = Path(path)
    sample = read_sample(path, first)
    sides: dict[str, dict[str, Field]] = {"context": {}, "action": {}}
    if "context.constant" not in sample.values:
        sides["context"]["constant"] = Constant()
    remarks = []
    for full, values in sample.values.items():
        side, _, name = full.partition(".")
        field, remark = _field(name, values, sample.rows[side])
        remarks.append(f"{side}.{spelled(name)}: {remark}")
        if field is not None:
            sides[side][name] = field
    per_action = None
    if 0 < len(sample.names) <= _MOST_NAMES and "constant" in sides["context"]:
        per_action = PerAction(["context.constant"], sample.names)
    elif sample.names:
        remarks.append(f"{len(sample.names)} named actions: too many for coefficients of their own")
    toml = written(declared(sides["context"], sides["action"], (), per_action, None))
    return f"{_comment(path, sample, remarks, sides)}\n{toml}"


def _comment(
    path: Path, sample: Sample, remarks: Sequence[str], sides: dict[str, dict[str, Field]]
) -> str:
    lines = [f"Proposed from the first {sample.n_events} events of {path.name}; look it over."]
    lines += remarks
    context = [name for name in sides["context"] if name != "constant"]
    if context and sides["action"]:
        pair = [f"action.{next(iter(sides['action']))}", f"context.{context[0]}"]
        lines.append(
            "A context by itself moves all actions alike: add crosses of what depends on each other, "
            "such as"
        )
        lines += ["[cross]", f"terms = [[{', '.join(map(quoted, pair))}]]"]
    elif context and sample.names:
        terms = ["context.constant", f"context.{context[0]}"]
        lines.append(
            "A context by itself moves all actions alike: add what matters for each of them, such as"
        )
        lines += ["[per_action]", f"terms = [{', '.join(map(quoted, terms))}]"]
    # A field may be called anything, with line breaks in it.
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)


def _field(name: str, values: Sequence[Any], n_rows: int) -> tuple[Field | None, str]:
    """Return what to declare a field as, or None, and the reason."""
    seen = [value for value in values if not is_missing(value)]
    n_missing = n_rows - len(seen)
    if len(set(map(repr, seen))) + bool(n_missing) < 2:
        return None, f"left out: always {values[0]!r:.40}"
    field, remark = _whole(name, seen)
    if field is not None and n_missing:
        field = replace(field, missing=OWN_COLUMN)
    return field, remark + (f"; missing from {n_missing} of {n_rows}" if n_missing else "")


def _whole(name: str, seen: Sequence[Any]) -> tuple[Field | None, str]:
    """Return the same for a field that is never missing."""
    kinds = {type(value) for value in seen}
    if kinds == {str}:
        return _words(seen)
    if kinds == {bool}:
        return Flag(), "true or false"
    if kinds <= {int, float}:
        return _numbers(name, seen)
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    return None, f"left out: neither numbers, words nor flags, but {names}, such as {seen[0]!r:.40}"


def _words(seen: Sequence[str]) -> tuple[Field | None, str]:
    words = sorted(set(seen))
    remark = f"{len(words)} words"
    if len(words) <= _MOST_VALUES:
        return Category(words), remark
    if 2 * len(words) > len(seen):
        return None, f"left out: {len(words)} words in {len(seen)} values, as an id has"
    buckets = min(_MOST_BUCKETS, 2 ** math.ceil(math.log2(2 * len(words))))
    return Category(buckets=buckets), f"{remark}, hashed"


def _numbers(name: str, seen: Sequence[float]) -> tuple[Field | None, str]:
    least, largest, middle = min(seen), max(seen), sorted(seen)[len(seen) // 2]
    if not all(-LARGEST < value < LARGEST for value in seen):
        return None, f"left out: not all are finite and below {LARGEST:g}"
    if least == largest:
        return None, f"left out: always {least:g} where it is there"
    remark = f"numbers from {least:g} to {largest:g}"
    period = _PERIODS.get(name.lower())
    if period is not None and least >= 0 and largest <= period:
        return Cycle(period, harmonics=2), f"{remark}; by its name it comes round after {period}"
    low, high = _rounded(least, ROUND_FLOOR), _rounded(largest, ROUND_CEILING)
    is_skewed = low > 0 and high / low >= _LONG_TAIL and middle - low < _SMALL * (high - low)
    return Number(low, high, log=is_skewed), remark + ("; most of them small" if is_skewed else "")


def _rounded(value: float, rounding: str) -> float:
    return float(Context(prec=_DIGITS, rounding=rounding).create_decimal(repr(float(value))))
