"""Forecasts one step ahead by ridge regression on several windows, and which window did best so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix, Vector
from ..core.base.waiting import Waiting
from ..core.compiler.borrowing import borrowed
from ..core.compiler.compiled import compiled
from ..core.models.ridge.regression import Dense
from .arrivals import Arrivals

__all__ = ["Forecasts", "forecasts", "ridge_of", "windows_for"]

Integers = NDArray[np.int64]

_RIDGE = 1e-3  # of the mean squared length of rows: 1 hides every gain where rows are short
_STRETCH = 4096  # events between two words of how far it has come
_PATIENCE = 8  # windows between two rebuilds: rounding errors grow even when nothing happens


class Forecasts(NamedTuple):
    """What was predicted for each event from rewards that had arrived before it."""

    windows: Integers  # (w,), in rewards; the last one is all of them
    predictions: Matrix  # (n, w)
    best: Integers  # (n,), which window had the least loss so far; the last one if several had
    parameters: Matrix  # (n, d), the estimate of that window before each event
    everything: Matrix  # (n, d), the estimate from all rewards before each event
    first: int  # events before this one are neither scored nor used to pick a window

    @property
    def chosen(self) -> Vector:
        """The predictions of the window that was best so far, (n,)."""
        return np.take_along_axis(self.predictions, self.best[:, None], 1)[:, 0]


def windows_for(n: int, dimension: int) -> Integers:
    """Return max(10, 2 d), doubled up to n / 2, and n, which stands for everything.

    Examples
    --------
    >>> windows_for(200, 3).tolist()
    [10, 20, 40, 80, 200]
    """
    windows = [max(10, 2 * dimension)]
    while windows[-1] * 2 <= n // 2:
        windows.append(windows[-1] * 2)
    return np.array([w for w in windows if w <= n // 2] + [n])


def ridge_of(rows: Matrix) -> float:
    """Return a ridge that is small beside the rows, whatever their length."""
    mean = float(np.mean((rows * rows).sum(axis=-1)))
    return _RIDGE * mean if mean > 0.0 else _RIDGE


def forecasts(rows: Matrix, targets: Vector, arrivals: Arrivals, ridge: float) -> Forecasts:
    """Predict each target from those that were known before it, one row at a time.

    Parameters
    ----------
    rows, targets
        (n, d) and (n,); the target of an event that never arrived is not looked at.
    arrivals
        In which order targets became known.
    ridge
        The penalty; see `ridge_of`.
    """
    n, dimension = rows.shape
    windows = windows_for(n, dimension)
    first = min(n // 10, 50 * dimension)
    found = Forecasts(
        windows,
        np.zeros((n, len(windows))),
        np.zeros(n, np.int64),
        np.zeros((n, dimension)),
        np.zeros((n, dimension)),
        first,
    )
    regressions = Dense(
        np.zeros((len(windows), dimension, dimension)),
        np.zeros((len(windows), dimension)),
        np.zeros((len(windows), dimension)),
        np.zeros((2, dimension)),
        np.zeros((len(windows), 2)),
    )
    rows, targets = np.ascontiguousarray(rows), np.ascontiguousarray(targets)
    losses = np.zeros(len(windows))
    with Waiting(n, "Forecasting rewards") as waiting:
        for begin in range(0, n, _STRETCH):
            end = min(begin + _STRETCH, n)
            walk_forward(
                rows, targets, arrivals.order, arrivals.ends, ridge, begin, end, regressions, losses,
                found,
            )  # fmt: skip
            waiting.advance(end - begin)
    return found


@compiled
def walk_forward(
    rows: Matrix, targets: Vector, order: Integers, ends: Integers, ridge: float,
    begin: int, end: int,  # of the events to walk along
    regressions: Dense,  # one below the other, but for the scratch, which they share
    losses: Vector,  # (w,), of each window so far
    found: Forecasts,
) -> None:  # fmt: skip
    """Fill in what `Forecasts` holds of some events."""
    rows, targets, order, ends = borrowed(rows), borrowed(targets), borrowed(order), borrowed(ends)
    losses = borrowed(losses)
    root, pivots, estimate, scratch, volume = borrowed(regressions)
    windows, predictions, best, parameters, everything, first = borrowed(found)
    last = windows.size - 1
    learnt = 0
    if begin > 0:
        learnt = ends[begin - 1]
    else:
        for j in range(windows.size):
            Dense(root[j], pivots[j], estimate[j], scratch, volume[j]).clear(ridge)
    for t in range(begin, end):
        while learnt < ends[t]:
            s = order[learnt]
            for j in range(windows.size):
                own = Dense(root[j], pivots[j], estimate[j], scratch, volume[j])
                take_in(own, rows, targets, order, learnt, windows[j], ridge)
                if s >= first:
                    error = targets[s] - predictions[s, j]
                    losses[j] += error * error
            learnt += 1
        leader = last
        for j in range(windows.size):
            total = 0.0
            for i in range(rows.shape[1]):
                total += estimate[j, i] * rows[t, i]
            predictions[t, j] = total
            if losses[j] < losses[leader]:
                leader = j
        best[t] = leader
        for i in range(rows.shape[1]):
            parameters[t, i] = estimate[leader, i]
            everything[t, i] = estimate[last, i]


@compiled
def take_in(
    own: Dense, rows: Matrix, targets: Vector, order: Integers, learnt: int, window: int,
    ridge: float,
) -> None:  # fmt: skip
    """Let the newest reward in and the one that leaves the window out."""
    is_exact = True
    if learnt >= window:
        old = order[learnt - window]
        is_exact = own.remove(rows[old], 0, targets[old])
        is_exact = is_exact and learnt % (_PATIENCE * window) != 0
    if is_exact:
        own.insert(rows[order[learnt]], 0, targets[order[learnt]])
        return
    own.clear(ridge)
    for i in range(max(0, learnt - window + 1), learnt + 1):
        own.insert(rows[order[i]], 0, targets[order[i]])
