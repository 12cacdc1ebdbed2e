r"""The best point of the unit ball for an optimist: one scalar equation.

The largest :math:`x'\theta + \beta \sqrt{x' A x}` over :math:`\|x\| \le 1` is the distance from the
origin to the farthest point z of the ellipsoid :math:`\theta + \beta A^{1/2} u`, :math:`\|u\| \le 1`,
and x points there. With eigenvalues a_j of A and coordinates of θ along its eigenvectors, Lagrange
gives :math:`z_j = \kappa \theta_j / (\kappa - a_j)`, where κ is the root above all eigenvalues of

.. math:: \sum_j \frac{a_j \theta_j^2}{(\kappa - a_j)^2} = \beta^2 .

If θ is orthogonal to the leading eigenvector there may be no such root (the "hard case" of trust
regions, Moré and Sorensen, 1983): two points, mirror images of each other, are then equally far. A
nudge of θ along that eigenvector, by a share of 1e-14, decides between them. It decides always in
the same way, and costs no more than that share of the value.
"""

from __future__ import annotations

import math

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import inlined

__all__ = ["normalise", "write_farthest"]

_NUDGE = 1e-14  # of the larger one of |theta| and the longest half-axis
_ENOUGH = 1e-13  # how far the constraint may be missed
_STEPS = 64


@inlined
def write_farthest(
    axes: Matrix, estimate: Vector, radius: float, scratch: Matrix, point: Vector
) -> None:
    """Write the unit vector x with the largest x'estimate + radius * sqrt(x'Ax) into ``point``.

    The rows of ``axes`` are orthogonal, and A is the sum of their outer products. ``scratch`` has
    three rows. If nothing is known and nothing hoped for, any point will do, and one is written.
    """
    d = estimate.size
    parts, shares, gaps = scratch[0], scratch[1], scratch[2]
    square, lead = 0.0, 0
    for j in range(d):
        square += estimate[j] * estimate[j]
        part, length = 0.0, 0.0
        for i in range(d):
            part += axes[j, i] * estimate[i]
            length += axes[j, i] * axes[j, i]
        parts[j], shares[j] = part, length
        if length > shares[lead]:
            lead = j
    largest = shares[lead]
    half_axis = radius * math.sqrt(largest)
    scale = max(math.sqrt(square), half_axis)
    if scale == 0.0:
        scale = 1.0
    # From here on in units in which the largest eigenvalue is 1 and the larger one of |theta| and
    # the longest half-axis is 1; the unknown is sigma = radius * (kappa - 1).
    half_axis /= scale
    for j in range(d):
        parts[j] /= scale * math.sqrt(largest)
        shares[j] /= largest
        gaps[j] = half_axis * (1.0 - shares[j])
    if abs(parts[lead]) < _NUDGE:
        parts[lead] = -_NUDGE if parts[lead] < 0.0 else _NUDGE
    sigma = root_above(parts, gaps)
    for i in range(d):
        point[i] = 0.0
    for j in range(d):
        if shares[j] > 0.0:
            weight = parts[j] / (shares[j] * (gaps[j] + sigma))
            for i in range(d):
                point[i] += weight * axes[j, i]
    normalise(point)


@inlined
def root_above(parts: Vector, gaps: Vector) -> float:
    """Return sigma > 0 with sum (parts / (gaps + sigma))^2 = 1, or very little below it.

    Newton on (sum)^(-1/2), the trust-region step. With u = (gaps + sigma) / |parts| that is a power
    mean of the u with a negative exponent, so it is concave in sigma, and steps from below never
    pass the solution. Every sigma on the way is the solution for some larger radius: to stop at
    a sum of (1 + e)^2 costs at most the share e of the value.
    """
    sigma = 0.0
    for j in range(parts.size):
        sigma = max(sigma, abs(parts[j]) - gaps[j])  # there, a single term is 1
    for _ in range(_STEPS):
        total, fall = 0.0, 0.0
        for j in range(parts.size):
            reach = gaps[j] + sigma
            term = parts[j] / reach
            total += term * term
            fall += term * term / reach
        excess = math.sqrt(total) - 1.0
        if excess <= _ENOUGH:
            break
        sigma += excess * total / fall
    return sigma


@inlined
def normalise(point: Vector) -> None:
    """Divide a vector by its length; zero becomes the first unit vector."""
    largest = 0.0
    for i in range(point.size):
        largest = max(largest, abs(point[i]))
    if largest == 0.0:
        point[0] = 1.0
        largest = 1.0
    square = 0.0
    for i in range(point.size):  # first to a size whose square neither vanishes nor overflows
        point[i] /= largest
        square += point[i] * point[i]
    length = math.sqrt(square)
    for i in range(point.size):
        point[i] /= length
