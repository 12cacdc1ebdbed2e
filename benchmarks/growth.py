"""How the cost of a round grows with the dimension, the arms, the window and the horizon."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from driftwise.core.contract.rounds import Rounds

from .measurement import Measurement
from .timing import seconds
from .workloads import changing_sets, fixed_set, loop, window_policy

__all__ = ["Curve", "Panel", "exponent", "exponents", "measure_growth"]

_WINDOW = 40
_ROUNDS = 9 * _WINDOW  # a rebuild, once in eight windows, is paid for
_BUDGET = 0.4  # seconds for a point


class Curve(NamedTuple):
    """The cost of a round, in microseconds, at several sizes."""

    label: str
    sizes: list[int]
    costs: list[float]
    theory: float  # the exponent of the largest term


class Panel(NamedTuple):
    """Curves over one size."""

    key: str
    title: str
    axis: str
    curves: list[Curve]


def measure_growth() -> list[Panel]:
    """Measure all curves; takes half a minute."""
    dimensions, arms = [4, 8, 16, 32, 64], [4, 16, 64, 256, 1024]
    windows = [10, 100, 1000, 10_000]
    horizons = [10_000, 100_000, 1_000_000]
    return [
        Panel("d", "K = 256 actions", "dimension d", [
            _curve("changing sets", dimensions, [_changing(256, d) for d in dimensions], 2.0),
            _curve("fixed set", dimensions, [_fixed(256, d) for d in dimensions], 1.0),
        ]),
        Panel("k", "d = 16", "actions K", [
            _curve("changing sets", arms, [_changing(k, 16) for k in arms], 1.0),
            _curve("fixed set", arms, [_fixed(k, 16) for k in arms], 1.0),
            _curve("axes, d = K", arms, [fixed_set(2000, np.eye(k)) for k in arms], 1.0),
        ]),
        Panel("window", "d = 10, K = 10, and 2 arms", "window", [
            _over_windows("changing sets", windows, changing_sets(90_000, 10, 10)),
            _over_windows("axes, 2 arms", windows, fixed_set(90_000, np.eye(2))),
        ]),
        Panel("horizon", "2 arms", "rounds", [
            _over_horizons("axes, 2 arms", horizons, fixed_set(horizons[0], np.eye(2))),
        ]),
    ]  # fmt: skip


def exponents(panels: list[Panel]) -> Iterator[Measurement]:
    """Yield the exponents of the window and the horizon, which should be none."""
    for panel in panels:
        if panel.key not in ("window", "horizon"):
            continue
        worst = max(panel.curves, key=exponent)
        costs = ", ".join(f"{cost:.3g}" for cost in worst.costs)
        yield Measurement(
            f"{panel.key}_exponent",
            f"exponent of the {panel.key} in the cost of a round, {worst.label}",
            exponent(worst),
            "",
            note=f"{costs} µs at {', '.join(f'{size:,}' for size in worst.sizes)} rounds",
        )


def exponent(curve: Curve, last: int = 0) -> float:
    """Return the slope of a curve on logarithmic scales, of its last few points if told so."""
    sizes, costs = np.log(curve.sizes[-last:]), np.log(curve.costs[-last:])
    return float(np.polyfit(sizes, costs, 1)[0])


def _changing(n_arms: int, dimension: int) -> Rounds:
    return changing_sets(_ROUNDS, n_arms, dimension)


def _fixed(n_arms: int, dimension: int) -> Rounds:
    rows = np.random.default_rng(0).standard_normal((n_arms, dimension))
    return fixed_set(_ROUNDS, rows / math.sqrt(dimension))


def _curve(label: str, sizes: list[int], played: list[Rounds], theory: float) -> Curve:
    return Curve(label, sizes, [_cost(rounds, _WINDOW) for rounds in played], theory)


def _over_windows(label: str, windows: list[int], rounds: Rounds) -> Curve:
    return Curve(label, windows, [_cost(rounds, window) for window in windows], 0.0)


def _over_horizons(label: str, horizons: list[int], rounds: Rounds) -> Curve:
    n_rounds = rounds.count_rounds()
    return Curve(label, horizons, [_cost(rounds, _WINDOW, n // n_rounds) for n in horizons], 0.0)


def _cost(rounds: Rounds, window: int, n_times: int = 1) -> float:
    work = loop(window_policy(window), rounds, n_times=n_times)
    return 1e6 * seconds(work, budget=_BUDGET) / (n_times * rounds.count_rounds())
