"""Coordinates of actions that come and go: how a memory forgets some, and goes on with more of them.

A memory whose arrays grow with the dimension says in two methods, in Python only, what that means:

``_forget(unlearnt, columns)``
    Bring a slice of coordinates back to what they are in ``unlearnt``, a memory that has learnt nothing;
    what is known of the others stays.
``_extend(former, unlearnt, columns, factor)``
    Take over what a memory of shorter actions has learnt, which was ``unlearnt`` before. Its coordinates are
    now at ``columns``, and its actions were by ``factor`` longer; this memory has learnt nothing yet.

Memories that hold other memories, and arrays of any other shape, need neither.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiler.layers import layer
from .records import arrays_in

__all__ = [
    "extend", "extend_layers", "forget", "forget_layers", "overwrite", "require_coordinates",
]  # fmt: skip

Integers = NDArray[np.intp]


def forget(memory: Any, unlearnt: Any, columns: slice) -> None:
    """Let a memory forget coordinates; `require_coordinates` must have found it able to."""
    if hasattr(memory, "_forget"):
        memory._forget(unlearnt, columns)
    elif isinstance(memory, tuple):
        for part, empty in zip(memory, unlearnt, strict=True):
            forget(part, empty, columns)


def extend(memory: Any, former: Any, unlearnt: Any, columns: Integers, factor: float) -> None:
    """Let a memory that has learnt nothing take over what a former one has learnt.

    ``unlearnt`` is the former one before it learnt. A field that still holds what it held then follows
    from settings and from the dimension, and stays as it is here.
    """
    if hasattr(memory, "_extend"):
        memory._extend(former, unlearnt, columns, factor)
    elif isinstance(memory, tuple):
        for parts in zip(memory, former, unlearnt, strict=True):
            extend(*parts, columns, factor)
    elif not np.array_equal(former, unlearnt):
        memory[...] = former


def forget_layers(stack: Any, unlearnt: Any, alive: Iterable[int], columns: slice) -> None:
    """Let some layers of a stack forget coordinates; ``unlearnt`` is a memory, not a stack."""
    for i in alive:
        forget(layer(stack, i), unlearnt, columns)


def extend_layers(
    stack: Any,
    former: Any,
    unlearnt: Any,
    alive: Iterable[int],
    begun: int,
    columns: Integers,
    factor: float,
) -> None:
    """Let layers of a stack take over what those of a former one have learnt.

    Those that are alive in the former one; ``begun`` is one that is restarted, and no more, in the
    stack and in the former one before it learnt.
    """
    ready, before = copy.deepcopy(layer(stack, begun)), layer(unlearnt, begun)
    for i in alive:
        overwrite(layer(stack, i), ready)
        extend(layer(stack, i), layer(former, i), before, columns, factor)


def overwrite(memory: Any, other: Any) -> None:
    """Write the numbers of one memory into another of the same layout."""
    for mine, theirs in zip(arrays_in(memory), arrays_in(other), strict=True):
        mine[...] = theirs


def require_coordinates(policy: Any) -> None:
    """Refuse a policy whose memory grows with the dimension and does not say what that means."""
    shorter, longer = (policy.start(0, dimension, None) for dimension in (1, 2))
    without = _without_methods(shorter, longer)
    if without is not None:
        raise TypeError(
            f"policy must be able to forget coordinates and to go on with more, got a "
            f"{type(policy).__name__}, whose {without} has no methods for that"
        )


def _without_methods(memory: Any, longer: Any) -> str | None:
    """Return the first class in a memory that has arrays which grow, and no methods."""
    if hasattr(memory, "_forget") and hasattr(memory, "_extend"):
        return None
    for part, other in zip(memory, longer, strict=True):
        is_memory = isinstance(part, tuple)
        if not is_memory and part.shape != other.shape:
            return type(memory).__name__
        found = _without_methods(part, other) if is_memory else None
        if found is not None:
            return found
    return None
