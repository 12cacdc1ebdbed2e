"""Expected rewards, computed so that the last bit does not depend on how many rounds at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["expected_rewards"]

# Numbers per step, so that a step's two arrays stay in the processor's cache.
_STEP = 16_384


def expected_rewards(
    actions: NDArray[np.float64], parameters: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Return :math:`\mu_{t,k} = \langle x_{t,k}, \theta_t \rangle` as an (n, K) array.

    Parameters
    ----------
    actions
        (n, K, d), or (1, K, d) if all rounds have the same decision set.
    parameters
        (n, d).

    Examples
    --------
    >>> expected_rewards(np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([[2.0, 4.0]]))
    array([[2., 3.]])
    """
    n_sets, n_arms, dimension = actions.shape
    if n_sets == 1 and n_arms == dimension and np.array_equal(actions[0], np.eye(dimension)):
        # K-armed bandit: the inner product with a basis vector is a coordinate, to the bit. Not
        # `copy`: at the size of a chunk some C libraries move bytes ten times as slowly as this.
        return np.positive(parameters, order="C")
    means = np.empty((len(parameters), n_arms))
    coordinates = np.moveaxis(actions, 2, 0)  # (d, n or 1, K)
    if n_sets == 1:
        coordinates = np.ascontiguousarray(coordinates)
    step = max(1, _STEP // n_arms)
    for first in range(0, len(parameters), step):
        now = slice(first, first + step)
        sets = coordinates if n_sets == 1 else coordinates[:, now]
        # Element by element and coordinate after coordinate: a matrix product would add in an
        # order that depends on the shape, and so on the number of rounds asked for.
        means[now] = parameters[now, 0, None] * sets[0]
        for i in range(1, dimension):
            means[now] += parameters[now, i, None] * sets[i]
    return means
