"""Where `AdaptiveUCB` keeps what it has learnt: layouts with one interface, chosen at the start.

The policy is settings, and hands every rule on to its memory, a named tuple of one of these classes:

==============  ======================================================
layout          decision sets
==============  ======================================================
`AdaptiveArms`  the same set, one row on each axis, if no bound was told
`AdaptiveFeatures`  any other, if no bound was told
`AdaptiveRows`  any, with a bound
==============  ======================================================

With ``settings`` the policy, each has the methods

- ``restart(settings, luck)``, ``choose(settings, actions, luck)``, which returns a `Choice` or a named
  tuple that begins like one and writes nothing, and ``learn(settings, action, choice, reward, luck)``;
- ``expect(settings, action, choice, luck)`` and ``settle(settings, action, choice, luck)``, for a decision
  whose reward is late: they write nothing but what is in flight;
- ``tick(settings)``: a round has passed in which nothing was learnt;
- ``solution()``: the estimate; in Python only.

What each believes, `driftwise.core.explain.mixture_belief` reads. No layout knows another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...compiler.layers import stacked
from ...contract.blocks import Blocked
from ...linalg.unit_rows import axes_of
from .adaptive_arms import AdaptiveArms, begin_adaptive_arms
from .adaptive_features import AdaptiveFeatures, begin_adaptive_features
from .adaptive_rows import AdaptiveRows
from .block_filters import FilterBlocks
from .filters import begin_filters
from .lookout import begin_lookout
from .mixture import begin_mixture

__all__ = ["begin_memory"]


def begin_memory(
    settings: Any, n_arms: int, dimension: int, fixed: Matrix | None
) -> AdaptiveArms | AdaptiveFeatures | AdaptiveRows:
    """Return a memory for these decision sets; runs in Python only."""
    mixture = begin_mixture(settings.slowest_drift, settings.fastest_drift, settings.drift_ratio)
    on_axes = None if fixed is None or settings.parameter_norm is not None else axes_of(fixed)
    if on_axes is not None and n_arms == dimension and _are_apart(*on_axes):
        return begin_adaptive_arms(mixture, *on_axes)
    if settings.parameter_norm is None:
        return begin_adaptive_features(mixture, dimension if fixed is None else int(dimension))
    n_filters = mixture.table.shape[1]
    if fixed is None and isinstance(dimension, Blocked):
        bank = begin_filters(n_filters, n_arms, dimension.length, None)
        filters: Any = FilterBlocks(stacked(bank, dimension.n_blocks), np.zeros(1, np.int64))
    else:
        filters = begin_filters(n_filters, n_arms, dimension, fixed)
    return AdaptiveRows(filters, mixture, begin_lookout())


def _are_apart(axis: NDArray[np.int64], length: Vector) -> bool:
    """Return whether each row is on an axis of its own, and not zero."""
    return len(set(axis.tolist())) == axis.size and bool(np.all(length != 0.0))
