"""A declaration that grew: where the old columns are in the new rows."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .encoder import Encoder
    from .fields import Field

__all__ = ["Extension", "extension_of"]

# What is lost by a change of these shows in the names of columns.
_MAY_CHANGE = {"alone", "missing", "values", "unknown"}


class Extension(NamedTuple):
    """How to go on with what was learnt from shorter rows.

    ``old_rows == factor * new_rows[:, columns]`` for all values that the old declaration knew. So an
    estimate goes on as ``new[columns] = factor * old``; the other columns start from the prior.
    """

    columns: NDArray[np.intp]  # (old dimension,): where each old column is in the new rows
    factor: float  # 1 if both are divided by the same number of blocks


def extension_of(old: Encoder, new: Encoder) -> Extension:
    """Return how the columns of one encoder go on in another, or say what is in the way."""
    before, after = old.declaration, new.declaration
    for path, field in before.fields.items():
        if path not in after.fields:
            raise ValueError(f"{path} must stay in a declaration that goes on, got none")
        if _fixed(field) != _fixed(after.fields[path]):
            rule = f"{path} must stay as it was, but for values added"
            raise ValueError(f"{rule}, got {after.fields[path]} after {field}")
    where = {name: column for column, name in enumerate(new.names)}
    for name in old.names:
        if name not in where:
            raise ValueError(f"{name} must stay a column of a declaration that goes on, got none")
    kept = after.names[: len(before.names)]
    if kept != before.names:
        rule = "per_action.names must begin with those that had places before"
        raise ValueError(f"{rule}, {list(before.names)}, got {list(after.names)}")
    columns = np.array([where[name] for name in old.names], dtype=np.intp)
    return Extension(columns, math.sqrt(after.blocks / before.blocks))


def _fixed(field: Field) -> dict[str, Any]:
    settings = {key: each for key, each in asdict(field).items() if key not in _MAY_CHANGE}
    return {"kind": field.kind} | settings
