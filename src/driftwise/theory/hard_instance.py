"""The worlds that no policy can learn quickly: the construction behind the lower bound."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.base.errors import RuleValueError
from ..core.base.validation import require_integer, require_number
from .rounding import ceiling

__all__ = ["HardInstance", "hard_instance"]


class HardInstance(NamedTuple):
    """The shape of a hard world: every block redraws each coordinate's sign."""

    block_length: int  # rounds during which the parameter stays put, H
    n_blocks: int  # the last one may be shorter
    coordinate: float  # the size of every coordinate of the parameter, sqrt(d / (4 H))
    largest_variation: float  # the variation if every coordinate flips between all blocks


def hard_instance(*, horizon: int, dimension: int, variation: float) -> HardInstance:
    r"""Return the hardest blocks that keep within a variation budget.

    The decision set is the unit ball; in each block of

    .. math:: H = \lceil (d T)^{2/3} B_T^{-2/3} \rceil

    rounds, clipped to :math:`[1, T]`, the parameter is one point of
    :math:`\{\pm\sqrt{d / (4 H)}\}^d`. A block costs any policy a regret of order
    :math:`d \sqrt{H}`, all of them :math:`d^{2/3} B_T^{1/3} T^{2/3}`; the parameter moves by at
    most :math:`d / \sqrt{H}` between blocks.

    Parameters
    ----------
    horizon
        The number of rounds, :math:`T`, at least :math:`d` (the theorem) and at least
        :math:`d^2/4` (so that rewards can stay within 1).
    dimension
        The length of an action, :math:`d`.
    variation
        The budget :math:`B_T`, at most :math:`8 T / d^2`: beyond that the parameter, of length
        :math:`d / (2 \sqrt{H})`, is longer than 1, and expected rewards leave [-1, 1]. Below
        :math:`d / \sqrt{T}` there is a single block and nothing moves.

    Notes
    -----
    The unit ball does not satisfy Assumption 1, so this construction says nothing about orthogonal
    decision sets; what is known there is the lower bound for K-armed bandits of Besbes, Gur and
    Zeevi 2014, :math:`(d B_T)^{1/3} T^{2/3}`.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, Theorem 1 and its proof.

    Examples
    --------
    >>> hard_instance(horizon=2_048, dimension=4, variation=16.0)
    HardInstance(block_length=64, n_blocks=32, coordinate=0.125, largest_variation=15.5)
    """
    dimension = require_integer("dimension", dimension)
    shortest = max(dimension, -(-dimension * dimension // 4))
    horizon = require_integer("horizon", horizon, at_least=shortest, unit="rounds")
    variation = require_number("variation", variation, at_least=0.0)
    largest = 8.0 * horizon / dimension**2
    if variation > largest:
        raise RuleValueError(
            "variation",
            f"be at most 8 horizon / dimension^2 = {largest:g}, so that expected rewards stay within 1",
            variation,
        )
    ideal = (dimension * horizon / variation) ** (2 / 3) if variation > 0.0 else math.inf
    length = ceiling(min(ideal, horizon))
    if _largest_variation(horizon, dimension, length) > variation:
        # Taking a near-integer for whole can cut the block short by a billionth, which
        # matters when there are a billion rounds; the next length is above the ideal for certain.
        length += 1
    return HardInstance(
        block_length=length,
        n_blocks=-(-horizon // length),
        coordinate=math.sqrt(dimension / (4.0 * length)),
        largest_variation=_largest_variation(horizon, dimension, length),
    )


def _largest_variation(horizon: int, dimension: int, length: int) -> float:
    n_changes = -(-horizon // length) - 1
    return n_changes * dimension / math.sqrt(length)
