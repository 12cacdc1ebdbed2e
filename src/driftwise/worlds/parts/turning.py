"""A parameter that turns at constant speed, so that its variation is what it is told to be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_number
from .waves import Wave

__all__ = ["turn_per_round", "turning"]


def turn_per_round(*, horizon: int, variation: float, radius: float) -> float:
    r"""Return the angle :math:`\delta` for which T rounds on a circle move by the variation.

    Each step is a chord of length :math:`2 r \sin(\delta / 2)`, and there are T - 1 of them.

    Examples
    --------
    >>> round(turn_per_round(horizon=4, variation=6.0, radius=1.0), 4)  # to the other side each time
    3.1416
    """
    variation = require_number("variation", variation, at_least=0.0)
    most = 2.0 * radius * (horizon - 1)
    if variation > most:
        raise RuleValueError(
            "variation",
            f"be at most {most:g} for {horizon} rounds on a circle of radius {radius:g}",
            variation,
        )
    return 2.0 * math.asin(variation / most) if most else 0.0


def turning(
    rounds: Iterable[NDArray[np.int64]], *, dimension: int, turn: float, radius: float
) -> Iterator[NDArray[np.float64]]:
    r"""Yield parameters on a circle around the origin that has a part in every coordinate.

    .. math:: \theta_{t,i} = r \sqrt{2/d} \, \sin(\delta t + \pi i / d), \qquad i = 0..d-1,

    has the length r for every t, as the angles :math:`2 \pi i / d` cancel; d is at least 2.

    Examples
    --------
    >>> block = next(turning([np.array([0, 1])], dimension=2, turn=math.pi / 2, radius=1.0))
    >>> (block.round(12) + 0.0).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    wave = Wave(turn)
    size = radius * math.sqrt(2.0 / dimension)
    parts = [
        (math.cos(angle), math.sin(angle)) for angle in np.pi * np.arange(dimension) / dimension
    ]
    for t in rounds:
        sines, cosines = wave.sines(t), wave.cosines(t)
        parameters = np.empty((len(t), dimension))
        for i, (cosine, sine) in enumerate(parts):
            parameters[:, i] = size * (sines * cosine + cosines * sine)
        yield parameters
