"""NumPy's normal numbers, the very same ones, in a third of the time where many are drawn at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["many_normals", "plus_normals"]

_MANY = 2**14  # fewer are drawn before compiled code has been called


def many_normals(random: np.random.Generator, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Return what ``random.standard_normal(shape)`` would, and leave the generator where it would.

    Examples
    --------
    >>> one, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> bool(np.all(many_normals(one, 20_000) == other.standard_normal(20_000)))
    True
    """
    if math.prod(np.atleast_1d(shape)) < _MANY:
        return random.standard_normal(shape)
    # Not before: a world can be looked at without a compiler.
    from .filling import fill_normals

    numbers = np.empty(shape)
    fill_normals(random, numbers.reshape(-1))
    return numbers


def plus_normals(
    means: NDArray[np.float64], scale: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Return (n, K) means plus ``scale`` times a normal number, the same for all of a row.

    Examples
    --------
    >>> plus_normals(np.array([[1.0, 2.0]]), 0.0, np.random.default_rng(0))
    array([[1., 2.]])
    """
    if len(means) < _MANY:
        return means + scale * random.standard_normal(len(means))[:, None]
    from .filling import fill_sums

    sums = np.empty(means.shape)
    fill_sums(means, scale, random, sums)
    return sums
