"""The rounds in which a world changes, read off the path that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["JUMPING", "changed_rounds", "is_jumping", "stretches"]

_SIZE = 4096
JUMPING = 0.1  # a world that changes in more of its rounds than this drifts; the others jump


def changed_rounds(world: Any, seed: int) -> NDArray[np.int64] | None:
    """Return the rounds, counted from 1, that differ from the round before.

    By the parameter, or where a world has none by the expected rewards of a fixed decision set.
    None if it has neither: other actions in every round have other rewards, change or no change.

    Examples
    --------
    >>> import driftwise as dw
    >>> changed_rounds(dw.worlds.Switching(horizon=1000, times=[401, 701]), seed=0)
    array([401, 701])
    """
    if not hasattr(world, "path") and world.decision_set is None:
        return None
    found, done, last = [], 0, None
    for block in _states(world, seed):
        rows = block if last is None else np.concatenate([last, block])
        is_other = (rows[1:] != rows[:-1]).any(axis=1)
        found.append(np.flatnonzero(is_other) + done + (2 if last is None else 1))
        done += len(block)
        last = block[-1:].copy()
    return np.concatenate(found).astype(np.int64)


def is_jumping(changes: NDArray[np.int64] | None, horizon: int) -> bool:
    """Return whether a world stands still in most rounds and changes now and then."""
    return changes is not None and 0 < len(changes) <= JUMPING * horizon


def stretches(changes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the first and last round of each unbroken run of changes.

    Examples
    --------
    >>> stretches(np.array([5, 6, 7, 20]))
    [(5, 7), (20, 20)]
    """
    if not len(changes):
        return []
    breaks = np.flatnonzero(np.diff(changes) > 1)
    first = np.concatenate([changes[:1], changes[breaks + 1]])
    last = np.concatenate([changes[breaks], changes[-1:]])
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _states(world: Any, seed: int) -> Iterator[NDArray[np.float64]]:
    if hasattr(world, "path"):
        path: Iterator[NDArray[np.float64]] = world.path(seed, _SIZE)
        return path
    return (rounds.means for rounds in world.rounds(seed, _SIZE))
