"""The numbers in a memory by the names of their fields, their layout, and a digest of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PENDING", "digest_of", "fields_in", "is_pending", "layout_of"]

PENDING = "pending"  # the field of a memory, or of one inside it, that holds what is in flight


def fields_in(memory: Any, place: str = "") -> dict[str, NDArray[Any]]:
    """Return all arrays of a memory, in order, by their paths: ``"ring.clock"``, ``"bases.0.sums"``.

    Examples
    --------
    >>> from driftwise.core.models.arms.arms import arm_memory
    >>> fields = fields_in((arm_memory(3),))
    >>> {name: array.shape for name, array in fields.items() if not is_pending(name)}
    {'0.counts': (3,), '0.sums': (3,)}
    """
    if not isinstance(memory, tuple):
        return {place: memory}
    return {
        name: array
        for key, part in _parts(memory)
        for name, array in fields_in(part, _inside(place, key)).items()
    }


def is_pending(place: str) -> bool:
    """Return whether a place in a memory belongs to what is in flight, not to what was learnt.

    Examples
    --------
    >>> is_pending("bases.0.pending.clock"), is_pending("ring.clock")
    (True, False)
    """
    return PENDING in place.split(".")


def layout_of(memory: Any, place: str = "") -> dict[str, list[str]]:
    """Return class and digest of the layout of every named tuple in a memory, by the way to it.

    A layout is what the fields are called and what each holds: numbers of which type, with how many
    axes, or an inner memory. The order of fields is no part of it, nor are sizes and names of classes,
    nor what is in flight, which a file may not have.
    """
    if not isinstance(memory, tuple) or is_pending(place):
        return {}
    found = {}
    if hasattr(memory, "_fields"):
        learnt = [(key, _kind(part)) for key, part in _parts(memory) if key != PENDING]
        fields = json.dumps(sorted(learnt))
        digest = hashlib.sha256(fields.encode()).hexdigest()[:16]
        found[place] = [type(memory).__qualname__, digest]
    for key, part in _parts(memory):
        found |= layout_of(part, _inside(place, key))
    return found


def digest_of(memory: Any) -> str:
    """Return a digest of the numbers in a memory, the same on any machine."""
    content = hashlib.sha256()
    for name, array in sorted(fields_in(memory).items()):
        content.update(f"{name} {_kind(array)} {array.shape} ".encode())
        content.update(array.astype(_plain(array.dtype), order="C", copy=False).tobytes())
    return content.hexdigest()


def _parts(memory: Any) -> Iterator[tuple[str, Any]]:
    names = getattr(memory, "_fields", map(str, range(len(memory))))
    return zip(names, memory, strict=True)


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _kind(part: Any) -> str:
    if not isinstance(part, tuple):
        return f"{_plain(part.dtype).str} {part.ndim}"
    return "memory" if hasattr(part, "_fields") else f"{len(part)} parts"


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("<")
