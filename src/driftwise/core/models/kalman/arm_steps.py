"""What one round does to the filters of one arm, side by side: see `driftwise.core.models.kalman.arm_filters`.

``means`` and ``ratios`` are the arm's rows of the moments, ``table`` is that of a `Mixture`, ``growth``
that of an `ArmFilters`.
"""

from __future__ import annotations

from typing import NamedTuple

from ...base.arrays import Matrix, Vector
from ...compiler.abreast import Width, add_each, larger, put, same, smaller, take
from ...compiler.compiled import compilable, inlined
from ...compiler.elementary import logarithms
from .mixture import (
    BROADEN,
    DRIFT,
    ERROR,
    LEAP,
    LOG_WEIGHT,
    NOISE,
    PULL,
    REACH,
    VARIANCE,
    WEIGHT,
)  # fmt: skip

__all__ = ["CAP", "CENTRE", "DEVIATION", "FORMER", "LASTING", "PER_CAP", "Click", "begin_arm", "follow_amount", "follow_click",
           "foresee_amount", "grow", "mix_arm"]  # fmt: skip

# The first rows of `ArmFilters.summary`.
CENTRE, DEVIATION = range(2)  # of the mixture: mean and standard deviation

# Rows of `ArmFilters.growth`.
LASTING = 0  # by how much p_j grows per round for which the arm went unseen, once that is long
CAP = 1  # the largest p_j that growth leads to
PER_CAP = 2  # its inverse; 0 where nothing is known of it
FORMER = 3  # R_j^2 before the newest reward

_MOST_RATIO = 1e12  # of variance to noise: more than the least noise allows, and finite


@compilable
class Click(NamedTuple):
    """What a click says, the same for all filters."""

    hit: float  # 1 or 0
    sign: float  # of the rate: -1 if a higher one is worse
    best: float  # the best rate of an arm, times the sign; -inf if there is none
    edge: float  # rates stay so far from 0 and 1
    limit: float  # p_j of an arm of which nothing is known
    sharing: float  # of weights
    doubt: float  # how likely a jump is
    farthest: float  # the variance of a jump


@inlined
def begin_arm(
    first: int, width: Width, means: Vector, ratios: Vector, mean: float, ratio: float
) -> None:
    """Write the same mean and the same ratio of variance to noise for all filters."""
    put(means, first, same(mean, width))
    put(ratios, first, same(ratio, width))


@inlined
def foresee_amount(
    first: int, width: Width, means: Vector, ratios: Vector, reward: float, least: float,
    table: Matrix, growth: Matrix,
) -> None:  # fmt: skip
    """Write the variance of the arm's mean and the error of the reward; keep the noise."""
    noise = larger(take(table[NOISE], first, width), least)
    put(table[NOISE], first, noise)
    put(growth[FORMER], first, noise)
    put(table[VARIANCE], first, noise * take(ratios, first, width))
    put(table[ERROR], first, reward - take(means, first, width))


@inlined
def follow_amount(
    first: int, width: Width, means: Vector, ratios: Vector, table: Matrix, growth: Matrix
) -> None:
    """Move the means towards the reward, and on by a jump."""
    variance, scale = take(table[VARIANCE], first, width), take(table[REACH], first, width)
    reach = variance * scale
    heading = 1.0 - reach * scale
    mean = take(means, first, width) + variance * take(table[PULL], first, width)
    put(means, first, mean + take(table[LEAP], first, width) * heading)
    left = larger(variance - reach * reach, 0.0)
    left = left + take(table[BROADEN], first, width) * heading * heading
    put(ratios, first, smaller(left / take(growth[FORMER], first, width), _MOST_RATIO))


@inlined
def follow_click(
    first: int, width: Width, means: Vector, ratios: Vector, click: Click, table: Matrix
) -> None:
    """Move the rates towards a click or its absence; weigh the filters by how likely it was.

    The variance of a click is x (1 - x), with x the rate. If the arm has jumped, then to the best rate
    of all: about its own mean one click could not tell a jump from none.
    """
    x, q = take(means, first, width), take(ratios, first, width)
    # The chance of what was seen is x for a hit, otherwise 1 - x.
    base, slope = 1.0 - click.hit, 2.0 * click.hit - 1.0
    gain = q / (1.0 + q)
    rate, ratio, likely = x + gain * (click.hit - x), gain, base + slope * x
    if click.doubt > 0.0:
        there = click.sign * larger(click.sign * x, click.best)
        there = smaller(larger(there, click.edge), 1.0 - click.edge)
        with_jump = click.doubt * (base + slope * there)
        likely = (1.0 - click.doubt) * likely + with_jump
        jumped = with_jump / likely
        wide = smaller(larger(q, click.farthest / (there * (1.0 - there))), 1.0)
        gain = wide / (1.0 + wide)
        other = there + gain * (click.hit - there)
        apart = other - rate
        variance = (1.0 - jumped) * rate * (1.0 - rate) * ratio + jumped * other * (
            1.0 - other
        ) * gain
        variance = variance + jumped * (1.0 - jumped) * apart * apart
        rate = smaller(larger(rate + jumped * apart, click.edge), 1.0 - click.edge)
        ratio = smaller(variance / (rate * (1.0 - rate)), larger(ratio, click.limit))
    put(means, first, smaller(larger(rate, click.edge), 1.0 - click.edge))
    put(ratios, first, ratio)
    share = click.sharing / table.shape[1]
    known = (1.0 - click.sharing) * take(table[WEIGHT], first, width) + share
    put(table[LOG_WEIGHT], first, logarithms(known * likely))


@inlined
def grow(
    first: int, width: Width, means: Vector, ratios: Vector, gone: float, is_click: bool,
    summary: Matrix, arm: int, table: Matrix, growth: Matrix,
) -> None:  # fmt: skip
    """Let the arm's variance grow; add w_j m_j to its mean in the mixture.

    A drift that has lasted for several memories may persist, so that it adds up. A rate that is less
    certain than all of them were at first stays so.
    """
    step = larger(take(table[DRIFT], first, width), gone * take(growth[LASTING], first, width))
    step = smaller(step, take(growth[CAP], first, width))
    ratio = take(ratios, first, width)
    grown = (1.0 - step * take(growth[PER_CAP], first, width)) * ratio + step
    put(ratios, first, larger(grown, ratio) if is_click else grown)
    mean = take(table[WEIGHT], first, width) * take(means, first, width)
    summary[CENTRE, arm] = add_each(summary[CENTRE, arm], mean)


@inlined
def mix_arm(
    first: int, width: Width, means: Vector, ratios: Vector, is_click: bool,
    summary: Matrix, arm: int, table: Matrix,
) -> None:  # fmt: skip
    """Add w_j (R_j^2 p_j + (m_j - m)^2) to the arm's variance in the mixture."""
    mean = take(means, first, width)
    noise = mean * (1.0 - mean) if is_click else take(table[NOISE], first, width)
    apart = mean - summary[CENTRE, arm]
    variance = noise * take(ratios, first, width) + apart * apart
    weighted = take(table[WEIGHT], first, width) * variance
    summary[DEVIATION, arm] = add_each(summary[DEVIATION, arm], weighted)
