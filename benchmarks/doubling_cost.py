"""What it costs not to know the horizon, as played: writes docs/doubling-measured.md.

`python -m benchmarks.doubling_cost` runs it: about a minute. Every number on that page comes from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import driftwise as dw
from driftwise import worlds

PAGE = Path(__file__).parents[1] / "docs" / "doubling-measured.md"
N_SEEDS = 10
HORIZONS = (3_000, 10_000, 30_000)
WORLDS: dict[str, Callable[[int], Any]] = {
    "stationary, 2 arms": lambda t: worlds.Stationary(horizon=t, parameter=[0.5, 0.6], noise=0.1),
    "sinusoid, B = 1": lambda t: worlds.Sinusoid(horizon=t, variation=1.0, noise=0.1),
    "sinusoid, B = 5": lambda t: worlds.Sinusoid(horizon=t, variation=5.0, noise=0.1),
    "switching, 5 arms, 4 changes": lambda t: worlds.Switching(
        horizon=t, dimension=5, n_changes=4, noise=0.3
    ),
    "random walk, d = 3": lambda t: worlds.RandomWalk(horizon=t, dimension=3, noise=0.3),
}
BASES: dict[str, Any] = {
    "SlidingWindowUCB": dw.SlidingWindowUCB,
    "BanditOverBandit": dw.BanditOverBandit,
}


def main() -> None:
    """Play everything and write the page."""
    page = "\n".join([_opening(), *_table(), ""])
    PAGE.write_text(page, "utf-8")
    print(page)


def _opening() -> str:
    constant = math.ceil(100 * dw.theory.doubling_constant(2 / 3)) / 100  # a bound is rounded up
    return f"""# What it costs not to know the horizon

`Doubling` plays epochs of doubling length, each by a policy that is tuned for it. Its bound is at most
{constant:.2f} times that of a policy that is told T, for a rate of T^(2/3). Here is the dynamic regret as
played: the mean over seeds 0 to {N_SEEDS - 1} with its standard error, of the policy that is told T and of `Doubling`
over the same, and the ratio of means. Both are told the noise, neither the variation. The constant is one of
bounds: where the policy that is told T stays far below its bound, the ratio of regrets may be larger. This page
is written by `python -m benchmarks.doubling_cost`.
"""


def _table() -> Iterator[str]:
    yield "| world | T | policy | told T | Doubling | ratio |"
    yield "| --- | --- | --- | --- | --- | --- |"
    ratios: dict[str, list[float]] = {name: [] for name in BASES}
    for label, make in WORLDS.items():
        for horizon in HORIZONS:
            world = make(horizon)
            facts = {"dimension": world.dimension, "noise": world.noise}
            for name, base in BASES.items():
                told = _regrets(base.tuned(horizon=horizon, **facts), world)
                doubling = _regrets(dw.Doubling.tuned(base=name, **facts), world)
                ratios[name].append(float(doubling.mean() / told.mean()))
                yield (
                    f"| {label} | {horizon:,} | {name} | {_mean(told)} | {_mean(doubling)} "
                    f"| {ratios[name][-1]:.2f} |"
                )
    yield ""
    for name, each in ratios.items():
        mean = float(np.exp(np.mean(np.log(each))))
        yield f"- {name}: {mean:.2f} times in the geometric mean, {max(each):.2f} times at most."


def _regrets(policy: Any, world: Any) -> np.ndarray[Any, Any]:
    return np.array([dw.simulate(policy, world, seed=seed).total_regret for seed in range(N_SEEDS)])


def _mean(regrets: np.ndarray[Any, Any]) -> str:
    return f"{regrets.mean():,.0f} ± {regrets.std(ddof=1) / np.sqrt(len(regrets)):,.0f}"


if __name__ == "__main__":
    main()
