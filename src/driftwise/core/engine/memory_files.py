"""Which array of a file fills which fields of a memory: by name, or by order as in version 0.1.0."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract.former_names import FORMER_NAMES
from ..contract.memories import fields_in, is_pending, layout_of
from .archive import Declared

__all__ = ["LayoutError", "fill", "members_of", "plan_by_name", "plan_by_order"]

Plan = dict[str, list[str]]  # of each array of a file, the fields that its numbers go to, in order


class LayoutError(ValueError):
    """A file whose memory is laid out in another way; the message says which field differs."""


def members_of(memory: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays of a memory by the names that they have in a file."""
    return {f"memory.{place}": array for place, array in fields_in(memory).items()}


def plan_by_name(memory: Any, declared: dict[str, Declared], layout: Any) -> Plan:
    """Return which array of a file goes to which field; all have names.

    A file of an agent whose policy did not count what is in flight yet has nothing for that.
    """
    fields, own = members_of(memory), layout_of(memory)
    if not any(map(is_pending, declared)):
        fields = {name: array for name, array in fields.items() if not is_pending(name)}
    for place, (name, _) in own.items():
        theirs = layout.get(place, ["nothing"])[0]
        if FORMER_NAMES.get(theirs, theirs) != name:
            raise LayoutError(f"{place or 'memory'} is {_told(theirs)}, not {name}")
    for name in fields:
        if name not in declared:
            raise LayoutError(f"there is no field {_place(name)}")
    for name in sorted(declared.keys() - fields.keys()):
        raise LayoutError(f"there is a field {_place(_told(name))}, which is not known")
    for name, array in fields.items():
        if not _is_alike(declared[name], array):
            raise LayoutError(f"{_place(name)} is {_form(declared[name])}, not {_form(array)}")
    for place, (name, digest) in own.items():
        if layout[place][1:] != [digest]:
            raise LayoutError(f"{place or 'memory'} is a {name} with another digest")
    return {name: [_place(name)] for name in fields}


def plan_by_order(memory: Any, declared: dict[str, Declared]) -> Plan:
    """Return the same for a file of version 0.1.0, in which arrays have numbers and no names.

    Since then arrays of several numbers were split into a field for each, in the same order, and what
    is in flight was added.
    """
    waiting = [each for each in fields_in(memory).items() if not is_pending(each[0])]
    plan: Plan = {}
    for i in range(len(declared)):
        name = f"memory_{i}"
        array = declared.get(name)
        if array is None:
            raise LayoutError(f"there is no {name}")
        taken = _n_taken(array, [field for _, field in waiting])
        if taken == 0:
            here = f"{waiting[0][0]}, {_form(waiting[0][1])}" if waiting else "any field"
            raise LayoutError(f"{name}, {_form(array)}, does not fit {here}")
        plan[name] = [place for place, _ in waiting[:taken]]
        del waiting[:taken]
    if waiting:
        raise LayoutError(f"there is nothing for {waiting[0][0]}")
    return plan


def fill(memory: Any, member: NDArray[Any], places: list[str]) -> None:
    """Write the numbers of a file's array into the fields that they go to."""
    fields = fields_in(memory)
    start = 0
    for place in places:
        field = fields[place]
        if len(places) == 1:
            field[...] = member
        else:
            field[...] = member[..., start : start + field.shape[-1]]
            start += field.shape[-1]


def _n_taken(array: Declared, fields: list[NDArray[Any]]) -> int:
    """Return how many of the next fields an array fills, along its last axis; 0 if it fits none."""
    if fields and _is_alike(array, fields[0]):
        return 1
    width = 0
    for i, field in enumerate(fields):
        is_part = field.ndim > 0 and field.shape[:-1] == array.shape[:-1]
        if not is_part or field.dtype != array.dtype or field.shape[-1] == 0:
            return 0
        width += field.shape[-1]
        if width >= array.shape[-1]:
            return i + 1 if width == array.shape[-1] else 0
    return 0


def _is_alike(array: Declared, field: NDArray[Any]) -> bool:
    return array.shape == field.shape and array.dtype == field.dtype


def _form(array: Declared | NDArray[Any]) -> str:
    return f"{np.dtype(array.dtype)} of shape {array.shape}"


def _place(name: str) -> str:
    return name.removeprefix("memory.")


def _told(name: Any) -> str:
    return repr(name)[1:-1] if isinstance(name, str) and len(name) < 80 else reprlib.repr(name)
