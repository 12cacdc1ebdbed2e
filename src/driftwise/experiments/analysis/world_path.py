"""One path of a world, thinned out to as many points as a picture can show."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...worlds import LinearWorld
from ..setup.changes import changed_rounds, is_jumping, stretches

__all__ = ["Band", "WorldPath", "follow"]

_POINTS = 600  # about as many as a picture has pixels for
_SIZE = 4096


class Band(NamedTuple):
    """Columns of numbers, averaged over the rounds that share a point, and their extremes."""

    middle: NDArray[np.float64]  # (points, columns)
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class WorldPath(NamedTuple):
    """What can be seen of a world along one path."""

    world: str  # the name of its class
    seed: int
    horizon: int
    n_arms: int
    dimension: int
    noise: float
    offers: Literal["fixed", "fresh", "ball"]  # the same actions in every round, others, or all
    is_linear: bool  # whether rewards are products with the parameter
    moved: float | None  # how far the parameter moves in total, where that is known
    rounds: NDArray[np.float64]  # (points,), the middle round of each point
    per_point: int  # rounds per point, at most
    arms: Band | None  # expected rewards of the arms, if these are the same in every round
    parameter: Band | None  # coordinates, if there is a parameter
    offered: Band  # expected reward of the best action, and of the average one
    best: Band  # number of the best action in its decision set, from 0
    changes: NDArray[np.int64] | None  # see `changed_rounds`
    is_jumping: bool  # whether it stands still in most rounds
    stretches: list[tuple[int, int]]  # first and last round of each unbroken run of changes
    has_means: bool  # whether expected rewards are known: records may have none


def follow(world: Any, seed: int) -> WorldPath:
    """Follow a world along the path that ``seed`` gives it.

    Several rounds share a point where there are more rounds than points; their extremes are kept,
    so that nothing that swings fast looks calm.
    """
    horizon = world.horizon
    per_point = -(-horizon // _POINTS)
    starts = np.arange(0, horizon, per_point)
    rounds = np.minimum(starts + 0.5 * (per_point + 1), horizon)
    has_arms = isinstance(world.decision_set, np.ndarray)
    arms = np.empty((horizon, world.n_arms)) if has_arms else None
    offered, best = np.empty((horizon, 2)), np.empty((horizon, 1))
    first, has_means = 0, hasattr(world, "path")
    for chunk in world.rounds(seed, _SIZE):
        last = first + len(chunk.means)
        is_real = np.arange(chunk.means.shape[1]) < chunk.sizes[:, None]
        leader = np.where(is_real, chunk.means, -np.inf).argmax(axis=1)
        best[first:last, 0] = leader
        # Looked up: several times as fast as `max` of two arms.
        offered[first:last, 0] = chunk.means[np.arange(len(leader)), leader]
        total = np.where(is_real, chunk.means, 0.0).sum(axis=1)
        offered[first:last, 1] = total / is_real.sum(axis=1)
        if arms is not None:
            arms[first:last] = chunk.means
        has_means = has_means or not np.array_equal(chunk.means, chunk.rewards)
        first = last
    path = None
    if hasattr(world, "path"):
        path = np.concatenate(list(world.path(seed, _SIZE)))
    changes = changed_rounds(world, seed) if has_means else None
    moved = world.realised_variation(seed).l2
    return WorldPath(
        world=type(world).__name__,
        seed=seed,
        horizon=horizon,
        n_arms=world.n_arms,
        dimension=world.dimension,
        noise=world.noise,
        offers="fixed" if has_arms else "fresh" if world.decision_set is None else "ball",
        is_linear=getattr(type(world), "link", LinearWorld.link) is LinearWorld.link,
        # Without expected rewards, what seems to move is mostly noise.
        moved=moved if has_means and moved == moved else None,
        rounds=rounds,
        per_point=per_point,
        arms=None if arms is None else _band(arms, starts),
        parameter=None if path is None else _band(path, starts),
        offered=_band(offered, starts),
        best=_band(best, starts),
        changes=changes,
        is_jumping=is_jumping(changes, horizon),
        stretches=[] if changes is None else stretches(changes),
        has_means=has_means,
    )


def _band(columns: NDArray[np.float64], starts: NDArray[np.int64]) -> Band:
    counts = np.diff(np.append(starts, len(columns)))[:, None]
    return Band(
        np.add.reduceat(columns, starts) / counts,
        np.minimum.reduceat(columns, starts),
        np.maximum.reduceat(columns, starts),
    )
