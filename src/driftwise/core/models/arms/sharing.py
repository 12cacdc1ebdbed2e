"""Exponential weights that share: after each round every arm gets a part of the sum of all."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...base.arrays import Vector
from ...compiler.compiled import called, compilable, inlined
from ...compiler.elementary import exp, log

__all__ = ["SharingMemory", "equalise_shares", "share", "sharing_memory"]

# Numbers hold weights that differ by less than _TINY, and that grow or shrink by less than
# exp(_STEEP) at a time.
_TINY, _STEEP = 1e-150, 300.0


@compilable
class SharingMemory(NamedTuple):
    """Weights of arms, and the chances that follow from them."""

    weights: Vector  # (K,), they sum to one
    log_weights: Vector  # (K,)
    chances: Vector  # (K,), the probability of each arm in the next round
    inverses: Vector  # (K,), one over that
    least: Vector  # (1,), the smallest weight
    has_logs: Vector  # (1,), 1 if log_weights are up to date, else 0


def sharing_memory(n_arms: int) -> SharingMemory:
    """Return a memory for ``n_arms`` arms."""
    weights, log_weights, chances, inverses = np.zeros((4, n_arms))
    return SharingMemory(weights, log_weights, chances, inverses, np.zeros(1), np.zeros(1))


@inlined
def equalise_shares(memory: SharingMemory) -> None:
    """Give all arms the same weight."""
    n_arms = memory.chances.size
    for arm in range(n_arms):
        memory.weights[arm] = 1.0 / n_arms
        memory.log_weights[arm] = 0.0
        memory.chances[arm] = 1.0 / n_arms
        memory.inverses[arm] = n_arms
    memory.least[0] = 1.0 / n_arms
    memory.has_logs[0] = 0.0


@inlined
def share(memory: SharingMemory, drawn: int, step: float, mixing: float, sharing: float) -> None:
    """Raise the weight of one arm by exp(step), share, and write the chances that follow."""
    n_arms = memory.chances.size
    # Logarithms cost three times as much as all the rest; rewards near the unit interval never
    # need them.
    if memory.least[0] > _TINY and abs(step) < _STEEP:
        memory.has_logs[0] = 0.0
        part, others = math.e * sharing / n_arms, 0.0
        weight_drawn = memory.weights[drawn]
        for arm in range(n_arms):
            others += 0.0 if arm == drawn else memory.weights[arm] + part
        raised = weight_drawn * exp(step) + part
        total = others + raised
    else:
        total, part = _share_far_apart(memory, drawn, step, sharing), 0.0
        raised = memory.weights[drawn]
    scale, least = 1.0 / total, 1.0
    for arm in range(n_arms):
        # Not by way of memory: to write a number and read it again takes as long as a sum.
        weight = raised if arm == drawn else memory.weights[arm] + part
        mixed = (1.0 - mixing) * weight + mixing / n_arms * total
        memory.inverses[arm] = total / mixed
        memory.chances[arm] = mixed * scale
        memory.weights[arm] = weight * scale
        least = min(least, weight * scale)
    memory.least[0] = least


@called  # with rewards of the size that EXP3.S is made for, never
def _share_far_apart(memory: SharingMemory, drawn: int, step: float, sharing: float) -> float:
    """Raise the weight of one arm by exp(step), then share: by logarithms, which never overflow.

    Leaves weights whose largest is about one, and the logarithms of the same, normalised.
    """
    n_arms, peak, total = memory.chances.size, -math.inf, 0.0
    if memory.has_logs[0] == 0.0:
        memory.has_logs[0] = 1.0
        for arm in range(n_arms):
            memory.log_weights[arm] = log(memory.weights[arm])
    memory.log_weights[drawn] += step
    part = 1.0 + log(sharing) - log(n_arms)  # a quotient may underflow
    for arm in range(n_arms):
        larger = max(memory.log_weights[arm], part)
        gap = abs(memory.log_weights[arm] - part)
        memory.log_weights[arm] = larger + log(1.0 + exp(-gap))
        peak = max(peak, memory.log_weights[arm])
    for arm in range(n_arms):
        memory.weights[arm] = exp(memory.log_weights[arm] - peak)
        total += memory.weights[arm]
    for arm in range(n_arms):
        memory.log_weights[arm] -= peak + log(total)
    return total
