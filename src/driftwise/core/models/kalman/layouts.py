"""Where `AdaptiveUCB` keeps what it has learnt: layouts with one interface, chosen at the start.

The policy is settings, and hands every rule on to its memory, a named tuple of one of these classes:

==============  ======================================================
layout          decision sets
==============  ======================================================
`AdaptiveRows`  any
==============  ======================================================

With ``settings`` the policy, each has the methods

- ``restart(settings, luck)``, ``choose(settings, actions, luck)``, which returns a `Choice` or a named
  tuple that begins like one and writes nothing, and ``learn(settings, action, choice, reward, luck)``;
- ``expect(settings, action, choice, luck)`` and ``settle(settings, action, choice, luck)``, for a decision
  whose reward is late: they write nothing but what is in flight;
- ``tick(settings)``: a round has passed in which nothing was learnt;
- ``solution()``: the estimate; in Python only.

What `driftwise.core.explain.mixture_belief` reads of them: ``mixture``, ``lookout``, and the
``covariances()`` of ``filters``. No layout knows another one.
"""

from __future__ import annotations

from typing import Any

from ...base.arrays import Matrix
from .adaptive_rows import AdaptiveRows
from .filters import begin_filters
from .lookout import begin_lookout
from .mixture import begin_mixture

__all__ = ["begin_memory"]


def begin_memory(settings: Any, n_arms: int, dimension: int, fixed: Matrix | None) -> AdaptiveRows:
    """Return a memory for these decision sets; runs in Python only."""
    mixture = begin_mixture(settings.slowest_drift, settings.fastest_drift, settings.drift_ratio)
    filters = begin_filters(mixture.table.shape[1], n_arms, dimension, fixed)
    return AdaptiveRows(filters, mixture, begin_lookout())
