"""Clicks with features: `AdaptiveUCB()` beside logistic and linear Thompson sampling.

Writes docs/clicks-measured.md, in a few minutes::

    python -m benchmarks.contextual_clicks

Every number is the mean regret over a few runs; the seeds were not used to design the policy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

import driftwise as dw
from driftwise import worlds

__all__ = ["DISCOUNTS", "SEEDS", "main", "row_of", "thompson_regret", "world_of"]

PAGE = Path(__file__).parents[1] / "docs" / "clicks-measured.md"
SEEDS = range(9100, 9103)
HORIZON = 10_000
DISCOUNTS = (1.0, 0.9997, 0.999)
N_ACTIONS, N_ADS, N_SEGMENTS = 10, 8, 6
RATES = {".5 to 5 %": (0.005, 0.05), "10 to 50 %": (0.1, 0.5)}
MOVES = ("calm", "2 jumps", "turning")
SHAPES = ("d = 5", "d = 20", "d = 50", "8 ads x 6 segments")

Array = NDArray[np.float64]


def main() -> None:
    """Play everything and write the page."""
    page = "\n".join([_opening(), *_table(), ""])
    PAGE.write_text(page, "utf-8")
    print(page)


def world_of(shape: str, rates: str, moves: str, seed: int) -> dw.worlds.Recorded:
    """Return a world of clicks, all drawn from the seed."""
    random, (low, high) = np.random.default_rng(seed), RATES[rates]
    is_late = np.arange(HORIZON) * 3 // HORIZON if moves == "2 jumps" else np.zeros(HORIZON, int)
    if shape == SHAPES[-1]:  # a row is zero but for an ad shown to a segment
        segments, ads = random.integers(N_SEGMENTS, size=HORIZON), np.arange(N_ADS)
        sets = np.zeros((HORIZON, N_ADS, N_ADS * N_SEGMENTS))
        cells = ads * N_SEGMENTS + segments[:, None]
        np.put_along_axis(sets, cells[:, :, None], 1.0, axis=2)
        drawn = random.uniform(low, high, (3, N_ADS * N_SEGMENTS))
        if moves == "turning":
            waves = 2.0 * np.pi * (np.linspace(0.0, 1.0, HORIZON)[:, None] + drawn[0] / high)
            means = low + (high - low) * (0.5 + 0.5 * np.sin(waves))
        else:
            means = drawn[is_late]
        chances = np.take_along_axis(means, cells, axis=1)
    else:
        d = int(shape.removeprefix("d = "))
        ends = [math.log(rate / (1.0 - rate)) for rate in (low, high)]
        root = math.sqrt(d - 1.0)
        sets = np.concatenate(
            [
                np.ones((HORIZON, N_ACTIONS, 1)),
                random.standard_normal((HORIZON, N_ACTIONS, d - 1)) / root,
            ],
            axis=2,
        )
        # Log-odds of actions are normal, of which 95 % are between the two ends.
        tastes = random.standard_normal((3, d - 1))
        tastes *= root * (ends[1] - ends[0]) / 4.0 / np.linalg.norm(tastes, axis=1)[:, None]
        path = tastes[is_late]
        if moves == "turning":
            angle = np.linspace(0.0, 2.0 * np.pi, HORIZON)[:, None]
            across = tastes[1] - tastes[0] * (tastes[1] @ tastes[0]) / (tastes[0] @ tastes[0])
            across *= np.linalg.norm(tastes[0]) / np.linalg.norm(across)
            path = np.cos(angle) * tastes[0] + np.sin(angle) * across
        odds = np.einsum("tki,ti->tk", sets[:, :, 1:], path) + (ends[0] + ends[1]) / 2.0
        chances = 1.0 / (1.0 + np.exp(-odds))
    clicks = (random.random(chances.shape) < chances).astype(float)
    return worlds.Recorded(decision_sets=sets, rewards=clicks, means=chances)


def thompson_regret(world: Any, discount: float, seed: int) -> float:
    """Return the regret of logistic Thompson sampling, by Laplace's approximation, one click at a time."""
    (rounds,) = world.rounds(seed=seed, size=HORIZON)
    normals = np.random.default_rng(seed).standard_normal((HORIZON, rounds.actions.shape[2]))
    told = math.log(rounds.means.mean() / (1.0 - rounds.means.mean()))  # the usual log-odds
    return float(_play(rounds.actions, rounds.means, rounds.rewards, normals, told, discount))


@njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
def _play(
    sets: Array, means: Array, clicks: Array, normals: Array, told: float, discount: float
) -> float:
    d, lost = sets.shape[2], 0.0
    centre, spread, along = np.zeros(d), np.eye(d), np.zeros(d)
    for t in range(sets.shape[0]):
        drawn = centre + np.linalg.cholesky(spread) @ normals[t]
        arm = int(np.argmax(sets[t] @ drawn))
        lost += means[t].max() - means[t, arm]
        x = sets[t, arm]
        along[:] = spread @ x
        before, square = told + x @ centre, x @ along
        after = before
        for _ in range(5):
            rate = 1.0 / (1.0 + math.exp(-after))
            step = (after - before - square * (clicks[t, arm] - rate)) / (
                1.0 + square * rate * (1.0 - rate)
            )
            after -= min(max(step, -3.0), 3.0)
        rate = 1.0 / (1.0 + math.exp(-after))
        curve = rate * (1.0 - rate)
        centre += along * ((after - before) / square)
        spread -= np.outer(along, along) * (curve / (1.0 + curve * square))
        # What fades goes back to the prior, N(0, I).
        spread /= discount
        for i in range(d):
            if spread[i, i] > 1.0:
                root = 1.0 / math.sqrt(spread[i, i])
                spread[i, :] *= root
                spread[:, i] *= root
    return lost


def _opening() -> str:
    return f"""# Clicks with features, as played

`AdaptiveUCB()`, told nothing, on clicks that depend on features. T = {HORIZON:,}, {N_ACTIONS} actions with fresh features in
every round, a constant and normal ones, whose log-odds are linear: 95 % of rates lie within the limits given. *Jumps*: the
parameter is another one after each third; *turning*: it turns once around. In *{SHAPES[-1]}* a row says which ad is shown to
which segment, and every such pair has a rate of its own. Numbers are dynamic regrets, means over seeds {SEEDS[0]} to {SEEDS[-1]},
which were not used to design the policy.

*As amounts* is the same policy that is kept from seeing clicks: 10^-9 of noise is added to each. *Logistic* is Thompson
sampling by Laplace's approximation with a prior N(0, I), which is told the usual log-odds; *linear* is
`LinTS.practical` or `DiscountedLinTS.practical`, which is told the noise. Both have the best of the discounts {", ".join(f"{each:g}" for each in DISCOUNTS)}
in hindsight, for each world.

Target: at most 1.5 times the best of these in the geometric mean, and never above 3. This page is written by
`python -m benchmarks.contextual_clicks`.
"""


def _table() -> Iterator[str]:
    yield "| features | rates | world | at random | `AdaptiveUCB()` | as amounts | logistic | linear | over the better of these |"
    yield "|---|---|---|---|---|---|---|---|---|"
    ratios, gains = [], []
    for shape in SHAPES:
        for rates in RATES:
            for moves in MOVES:
                row, ratio, gain = row_of(shape, rates, moves)
                ratios.append(ratio)
                gains.append(gain)
                yield row
    yield f"\nOver the better of these: {_mean(ratios):.2f} in the geometric mean, {max(ratios):.2f} at worst."
    yield f"Over the same policy that takes clicks for amounts: {_mean(gains):.2f}, {max(gains):.2f} at worst."


def row_of(shape: str, rates: str, moves: str) -> tuple[str, float, float]:
    """Return the row of a world; over the better of the others; over the same policy on amounts."""
    mine, *others = _means(shape, rates, moves)
    ratio, gain = mine / min(others[2:]), mine / others[1]
    numbers = " | ".join(f"{each:,.0f}" for each in [others[0], mine, *others[1:]])
    return f"| {shape} | {rates} | {moves} | {numbers} | {ratio:.2f} |", ratio, gain


def _mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def _means(shape: str, rates: str, moves: str) -> list[float]:
    """Return the mean regret: mine, at random, as amounts, logistic, linear."""
    found = np.array([_regrets(shape, rates, moves, seed) for seed in SEEDS]).mean(axis=0)
    n = len(DISCOUNTS)
    return [*found[:3].tolist(), float(found[3 : 3 + n].min()), float(found[3 + n :].min())]


def _regrets(shape: str, rates: str, moves: str, seed: int) -> list[float]:
    world = world_of(shape, rates, moves, seed)
    (rounds,) = world.rounds(seed=seed, size=HORIZON)
    noise = math.sqrt(rounds.means.mean() * (1.0 - rounds.means.mean()))
    blurred = rounds.rewards + 1e-9 * np.random.default_rng(seed).standard_normal(
        rounds.rewards.shape
    )
    amounts = worlds.Recorded(decision_sets=rounds.actions, rewards=blurred, means=rounds.means)
    facts: dict[str, Any] = {"noise": noise, "parameter_norm": float(rounds.means.max())}
    facts["horizon"] = HORIZON
    linear: list[Any] = [dw.LinTS.practical(**facts)]  # nothing fades
    dimension = rounds.actions.shape[2]
    fading = dw.DiscountedLinTS.practical(variation=1.0, dimension=dimension, **facts)
    linear += [fading._replace(discount=each) for each in DISCOUNTS[1:]]
    played: list[Any] = [dw.AdaptiveUCB(), dw.Uniform()]
    return [
        *(dw.simulate(each, world, seed=seed).total_regret for each in played),
        dw.simulate(dw.AdaptiveUCB(), amounts, seed=seed).total_regret,
        *(thompson_regret(world, each, seed) for each in DISCOUNTS),
        *(dw.simulate(each, world, seed=seed).total_regret for each in linear),
    ]


if __name__ == "__main__":
    main()
