"""Coordinates of a regression that are forgotten, or were never there; in Python only.

To forget coordinates is to know nothing of them, and of the others what was known before: their
rows and columns are cut out of the covariance, and the prior is written in their place. In the inverse of a
covariance the same takes a step of elimination for each coordinate.

Every number is the result of single operations in a fixed order, by NumPy's elementwise functions
and never by a sum of its own: the same bits on every machine.
"""

from __future__ import annotations

import numpy as np

from ..base.arrays import Matrix, Vector

__all__ = [
    "covariance_of",
    "cut",
    "diagonal_of",
    "eliminate_coordinate",
    "triangles_of",
    "write_factors",
]


def covariance_of(root: Matrix, pivots: Vector) -> Matrix:
    """Return V^-1 = U D U' from its factors, as `driftwise.core.linalg.kernels` keeps them."""
    total = np.zeros_like(root)
    for j, pivot in enumerate(pivots.tolist()):
        column = np.append(root[j, :j], 1.0)
        total[: j + 1, : j + 1] += pivot * np.multiply.outer(column, column)
    return total


def write_factors(covariance: Matrix, root: Matrix, pivots: Vector) -> None:
    """Write the factors of V^-1: the other way round than those of `triangles_of`."""
    unit, diagonal = triangles_of(covariance[::-1, ::-1])
    root[...] = np.tril(unit[::-1, ::-1], -1)
    pivots[...] = diagonal[::-1]


def triangles_of(matrix: Matrix) -> tuple[Matrix, Vector]:
    """Return R, with ones on its diagonal, and C of the matrix R' C R.

    Examples
    --------
    >>> unit, diagonal = triangles_of(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> unit.tolist(), diagonal.tolist()
    ([[1.0, 0.5], [0.0, 1.0]], [2.0, 2.5])
    """
    rest, unit = np.array(matrix), np.eye(len(matrix))
    for i in range(len(matrix)):
        row = rest[i, i + 1 :]
        unit[i, i + 1 :] = row / rest[i, i]
        rest[i + 1 :, i + 1 :] -= np.multiply.outer(row, unit[i, i + 1 :])
    return unit, np.array(rest.diagonal())


def cut(covariance: Matrix, columns: slice, prior: float) -> None:
    """Cut coordinates out of a covariance, and give them a variance of their own."""
    covariance[columns] = 0.0
    covariance[:, columns] = 0.0
    np.fill_diagonal(covariance[columns, columns], prior)


def eliminate_coordinate(gram: Matrix, response: Vector, noise: Matrix, k: int) -> None:
    """Take a coordinate out of V, of V theta and of W, and leave zeros in its place.

    The others keep their estimate, V^-1 of them and V^-1 W V^-1 of them.
    """
    share = gram[:, k] / gram[k, k]
    share[k] = 1.0
    column, spread = gram[:, k].copy(), noise[:, k].copy()
    gram -= np.multiply.outer(share, column)
    response -= share * response[k]
    others = np.multiply.outer(share, spread)
    noise -= others
    noise -= others.T
    noise += spread[k] * np.multiply.outer(share, share)
    for matrix in (gram, noise):
        matrix[k] = 0.0
        matrix[:, k] = 0.0


def diagonal_of(blocks: list[Matrix]) -> Matrix:
    """Return the matrix that has these blocks on its diagonal."""
    size = len(blocks[0])
    whole = np.zeros((len(blocks) * size,) * 2)
    for i, block in enumerate(blocks):
        whole[i * size : (i + 1) * size, i * size : (i + 1) * size] = block
    return whole
