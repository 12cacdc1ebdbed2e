"""From dictionaries to rows: the declared encoder beside one written by hand for these very fields."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftwise.features import Category, Cycle, Encoder, Flag, Number

from .measurement import Measurement, of_ratio
from .timing import compare

__all__ = ["ACTIONS", "CONTEXT", "ENCODER", "by_hand", "measure"]

_SEGMENTS, _SIZES, _BUCKETS = ("new", "old"), ("s", "m", "l"), 16

ENCODER = Encoder(
    context={"hour": Cycle(24, harmonics=2), "segment": Category(_SEGMENTS)},
    action={
        "price": Number(5, 20),
        "brand": Category(buckets=_BUCKETS),
        "size": Category(_SIZES),
        "sale": Flag(),
    },
)
CONTEXT: dict[str, Any] = {"hour": 17.5, "segment": "new"}
ACTIONS: list[dict[str, Any]] = [
    {"price": 5.0 + 1.5 * i, "brand": f"brand {i}", "size": _SIZES[i % 3], "sale": i % 2 == 0}
    for i in range(10)
]


def measure() -> Iterator[Measurement]:
    """Yield the cost of 10 actions of 6 fields, as a ratio and in microseconds."""
    ratio = compare(
        lambda: ENCODER.rows(CONTEXT, ACTIONS), lambda: by_hand(CONTEXT, ACTIONS), seconds=3.0
    )
    work = "encoding 10 actions of 6 fields: `Encoder`"
    yield of_ratio("encoding_over_by_hand", f"{work} over NumPy by hand", ratio, rounds=1)
    yield Measurement("encoding_microseconds", work, 1e6 * ratio.seconds, "µs")


def by_hand(context: dict[str, Any], actions: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    """Return the same rows, by code that knows these fields and checks nothing."""
    n_segments, n_sizes = len(_SEGMENTS), len(_SIZES)
    segment, price = 4, 4 + n_segments + 1
    brand, size = price + 1, price + 1 + _BUCKETS
    sale = size + n_sizes + 1
    rows = np.zeros((len(actions), sale + 1))
    angle = 2.0 * math.pi * context["hour"] / 24.0
    root = math.sqrt(2.0)
    rows[:, :4] = [
        math.sin(angle) / root,
        math.cos(angle) / root,
        math.sin(2.0 * angle) / root,
        math.cos(2.0 * angle) / root,
    ]
    known = context["segment"] in _SEGMENTS
    rows[:, segment + (_SEGMENTS.index(context["segment"]) if known else n_segments)] = 1.0
    prices = np.array([action["price"] for action in actions], dtype=float)
    rows[:, price] = np.clip(2.0 * (prices - 5.0) / 15.0 - 1.0, -1.0, 1.0)
    for i, action in enumerate(actions):
        code = zlib.crc32(f"brand={action['brand']}".encode())
        rows[i, brand + code % _BUCKETS] = -1.0 if code >= 2**31 else 1.0
        known = action["size"] in _SIZES
        rows[i, size + (_SIZES.index(action["size"]) if known else n_sizes)] = 1.0
        rows[i, sale] = action["sale"]
    return rows / math.sqrt(6.0)
