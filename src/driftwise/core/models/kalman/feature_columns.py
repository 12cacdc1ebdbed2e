"""Features that come and go in a memory of `AdaptiveUCB`; all of it runs in Python only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...contract.coordinates import overwrite
from .filters import FilterDense

__all__ = ["extend_features", "forget_features"]


def forget_features(memory: Any, unlearnt: Any, columns: slice) -> None:
    """Bring coordinates of an `AdaptiveFeatures` back to the prior."""
    size, n_blocks = memory.row.size, memory.filters.banks.vectors.shape[0]
    block = columns.start // (size - 1)
    own = slice(block * size, (block + 1) * size) if n_blocks > 1 else columns
    memory.filters._forget(unlearnt.filters, own)
    memory.units.drop(columns, is_shared=n_blocks > 1)
    memory.pending._forget(unlearnt.pending, columns)


def extend_features(
    memory: Any, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float
) -> None:
    """Take over what an `AdaptiveFeatures` of fewer coordinates has learnt.

    Constants of blocks that are no more begin anew.
    """
    places, is_kept = _places(memory, former, columns)
    whole = former.filters._whole()
    kept = FilterDense(
        whole.moments[:, is_kept], whole.spreads[np.ix_(is_kept, is_kept)],
        whole.shapes[:, is_kept][:, :, is_kept], whole.vectors[:, is_kept],
    )  # fmt: skip
    memory.filters._extend(kept, unlearnt.filters, places, 1.0)
    memory.units.take_over(former.units, columns, factor)
    for name in ("clicks", "mixture", "lookout", "tally"):
        overwrite(getattr(memory, name), getattr(former, name))


def _places(
    memory: Any, former: Any, columns: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where coordinates of a former memory's filters are now, and which of them stay."""
    b, theirs = memory.units.scale.size, former.units.scale.size
    blocks = columns.reshape(-1, theirs) // b
    features = blocks * (b + 1) + columns.reshape(-1, theirs) % b
    constants = blocks[:, :1] * (b + 1) + b
    places = np.hstack([features, constants])
    is_kept = np.ones(places.shape, bool)
    is_kept[:, -1] = len(places) == 1 or memory.filters.banks.vectors.shape[0] > 1
    return places[is_kept], is_kept.ravel()
