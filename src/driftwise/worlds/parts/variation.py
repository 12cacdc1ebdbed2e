"""How much a world moved, measured on the path that it took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .means import expected_rewards

__all__ = ["Variation", "changes_in", "variation_of"]


class Variation(NamedTuple):
    r"""The realised variation of one path, in the two ways in which budgets are stated."""

    l2: float  # sum of |theta_{t+1} - theta_t|, the B_T of linear bandits
    arms: float | None  # sum of max_k |mu_{t+1,k} - mu_{t,k}|; None if decision sets change


def variation_of(
    blocks: Iterable[NDArray[np.float64]],
    decision_set: NDArray[np.float64] | None,
    link: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> Variation:
    r"""Add up the steps of a path that comes in consecutive (n, d) blocks.

    .. math:: \sum_{t<T} \|\theta_{t+1} - \theta_t\|_2, \qquad
              \sum_{t<T} \max_k |\mu_{t+1,k} - \mu_{t,k}|

    with :math:`\mu_{t,k} = \langle x_k, \theta_t \rangle`, or what ``link`` makes of it.

    Examples
    --------
    >>> variation_of([np.array([[0.0, 0.0], [3.0, 4.0]])], np.eye(2))
    Variation(l2=5.0, arms=4.0)
    """
    l2 = arms = 0.0
    for rows in _overlapping(blocks):
        steps = np.diff(rows, axis=0)
        has_moved = _largest(steps != 0.0)  # worlds that jump stand still most of the time
        if not has_moved.all():
            steps = steps[has_moved]
        l2 += float(np.sqrt(_sums(steps * steps)).sum())
        if decision_set is None or not len(steps):
            continue
        if link is None:
            moves = expected_rewards(decision_set[None], steps)
        else:
            before, after = (
                link(expected_rewards(decision_set[None], each[has_moved]))
                for each in (rows[:-1], rows[1:])
            )
            moves = after - before
        arms += float(_largest(np.abs(moves)).sum())
    return Variation(l2, arms if decision_set is not None else None)


def changes_in(blocks: Iterable[NDArray[np.float64]]) -> int:
    """Count the rows that differ from the row before, in consecutive (n, d) blocks.

    Examples
    --------
    >>> changes_in([np.array([[1.0], [1.0]]), np.array([[2.0], [2.0], [1.0]])])
    2
    """
    return sum(int((rows[1:] != rows[:-1]).any(axis=1).sum()) for rows in _overlapping(blocks))


# NumPy takes ten times as long and more for many short rows as for a few long columns.


def _largest(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the largest number of each row; true if any is."""
    largest: NDArray[Any] = np.maximum.reduce(np.ascontiguousarray(rows.T))
    return largest


def _sums(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    if rows.shape[1] >= 8:  # NumPy adds so many in an order of its own, which depends on the layout
        sums: NDArray[np.float64] = np.ascontiguousarray(rows).sum(axis=1)
    else:
        sums = np.add.reduce(np.ascontiguousarray(rows.T))
    return sums


def _overlapping(blocks: Iterable[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
    """Yield each block with the last row of the one before, so that no step is missed."""
    last = None
    for block in blocks:
        yield block if last is None else np.concatenate([last, block])
        last = block[-1:].copy()
