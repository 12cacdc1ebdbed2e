"""How a world drifts, in a few lines: the whole path, or a close-up where that could not be read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...worlds import LinearWorld
from .world_path import Band, WorldPath, follow

__all__ = ["Drift", "find_drift"]

_MOST_LINES = 8
# A line that crosses its own range more often than this is a block of colour, and what it seems
# to show is an interference of its waves with the points of the picture.
_MOST_CROSSINGS = 40
_CROSSINGS_SHOWN = 12


class Drift(NamedTuple):
    """The main lines of a world."""

    path: WorldPath
    names: list[str]
    unit: str
    rounds: NDArray[np.float64]  # (points,)
    band: Band  # (points, lines)
    is_close_up: bool  # of the first rounds, all of which have their point


def find_drift(world: Any, seed: int) -> Drift:
    """Return the expected rewards of a few fixed arms, or the parameter, or what is offered."""
    path = follow(world, seed)
    names, unit, band = ["best action", "average action"], "expected reward", path.offered
    if path.parameter is not None and path.parameter.middle.shape[1] <= _MOST_LINES:
        names, unit, band = _numbered("coordinate", path.parameter), "parameter", path.parameter
    if path.arms is not None and path.arms.middle.shape[1] <= _MOST_LINES:
        names, unit, band = _numbered("arm", path.arms), "expected reward", path.arms
    middle = band.middle
    crossings = np.abs(np.diff(middle, axis=0)).sum(axis=0) / np.maximum(np.ptp(middle, 0), 1e-12)
    if crossings.max() <= _MOST_CROSSINGS or band is path.offered:
        return Drift(path, names, unit, path.rounds, band, is_close_up=False)
    n = max(50, round(world.horizon * _CROSSINGS_SHOWN / crossings.max()))
    exact = _first(world, seed, n, is_parameter=band is path.parameter)
    rounds = np.arange(1.0, len(exact) + 1.0)
    return Drift(path, names, unit, rounds, Band(exact, exact, exact), is_close_up=True)


def _numbered(name: str, band: Band) -> list[str]:
    return [f"{name} {i}" for i in range(band.middle.shape[1])]


def _first(world: Any, seed: int, n: int, *, is_parameter: bool) -> NDArray[np.float64]:
    """Return the parameters, or the means of all arms, of the first ``n`` rounds."""
    if is_parameter and isinstance(world, LinearWorld):
        return next(iter(world.path(seed, n)))[:n].copy()
    means: NDArray[np.float64] = next(iter(world.rounds(seed, n))).means
    return means[:n].copy()
