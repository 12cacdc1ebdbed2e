"""`AdaptiveUCB()` where it is told nothing: units, offsets, late rewards, clicks, hidden improvements.

Prints docs/adaptive.md, in two minutes::

    python -m benchmarks.adaptive_targets > docs/adaptive.md

Every number is the mean regret over a few runs; the seeds were not used to design the policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import driftwise as dw
from driftwise.core.base.arrays import Matrix

__all__ = ["DISCOUNTS", "main"]

_SEEDS = range(9000, 9004)
_LATE_SEEDS = range(9000, 9003)
_HORIZON = 20_000
_CLICK_HORIZON = 100_000
_HIDDEN_HORIZON = 8000
_FREE, _TOLD = dw.AdaptiveUCB(), dw.AdaptiveUCB(parameter_norm=1.0, action_norm=1.0)
DISCOUNTS = (1.0, 0.9999, 0.9997)
_LAWS: dict[str, tuple[Any, float]] = {
    "10": (10, 10.0), "100": (100, 100.0), "1000": (1000, 1000.0),
    "geometric 100": (dw.delays.Geometric(100), 100.0),
    "batches of 100": (dw.delays.Batches(100), 100.0),
    "half missing": (dw.delays.Missing(0.5), 0.0),
}  # fmt: skip
_OVER = " **over**"
_WINDOWS = (50, 100, 200, 400, 800, 1600, 3200, 8000)

_INTRODUCTION = """\
# AdaptiveUCB, told nothing

Written by `python -m benchmarks.adaptive_targets > docs/adaptive.md`; nothing on this page is typed by hand
but its words. Numbers are regrets, the mean of a few runs on seeds that were not used to design the policy
({seeds}); ratios carry, digits do not. *Told the bound* is `AdaptiveUCB(parameter_norm=1, action_norm=1)`, the
policy of 0.1.0, which knows the largest mean.
"""


def main() -> None:
    """Print the page."""
    print(_INTRODUCTION.format(seeds=f"{_SEEDS[0]} to {_SEEDS[-1]}"))
    for section in (_units, _late, _clicks, _coins, _hidden, _features):
        for line in section():
            print(line)
        print()


def _mean(policy: Any, world: Any, seeds: Iterable[int], **given: Any) -> float:
    return float(np.mean([dw.simulate(policy, world, seed=s, **given).total_regret for s in seeds]))


def _arms(means: Matrix, noise: float | None) -> Any:
    kind = {"noise": noise} if noise is not None else {"rewards": "bernoulli"}
    return dw.worlds.World(parameters=means, decision_sets=np.eye(means.shape[1]), **kind)


def _steps(horizon: int, levels: Iterable[Iterable[float]]) -> Matrix:
    """Return means that jump from one row of levels to the next, after equal times."""
    rows = np.array([list(each) for each in levels])
    return rows[np.arange(horizon) * len(rows) // horizon]


def _waves(horizon: int, n_arms: int) -> Matrix:
    t = np.linspace(0.0, 6.0 * np.pi, horizon)[:, None]
    return np.asarray(0.5 + 0.4 * np.sin(t + 2.0 * np.pi * np.arange(n_arms) / n_arms))


def _drawn(seed: int, n_rows: int, n_arms: int, low: float, high: float) -> Matrix:
    return np.random.default_rng(seed).uniform(low, high, (n_rows, n_arms))


def _row(*cells: Any) -> str:
    return (
        "| "
        + " | ".join(cell if isinstance(cell, str) else f"{cell:,.3g}" for cell in cells)
        + " |"
    )


def _head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _units() -> Iterator[str]:
    worlds = {
        "waves, 3 arms, noise .1": (_waves(_HORIZON, 3), 0.1),
        "switching, 4 arms, noise .3": (_steps(_HORIZON, _drawn(1, 5, 4, 0.0, 1.0)), 0.3),
        "calm, 5 arms, noise .2": (_steps(_HORIZON, _drawn(2, 1, 5, 0.0, 1.0)), 0.2),
    }
    changes = [
        (1e-6, 0.0),
        (1e-3, 0.0),
        (10.0, 0.0),
        (1e6, 0.0),
        (1.0, -10.0),
        (1.0, 10.0),
        (1.0, 1000.0),
    ]
    yield "## Units and offsets, arms\n\nTarget: at most 1.2 times the regret in units of one, for units of 1e-6 to 1e6 and"
    yield "offsets up to 1,000 times the spread of rewards.\n"
    yield from _head(
        "world", "as it is", *(f"x {scale:g}, + {offset:g}" for scale, offset in changes)
    )
    for name, (means, noise) in worlds.items():
        plain = _mean(_FREE, _arms(means, noise), _SEEDS)
        ratios = [
            _mean(_FREE, _arms(scale * means + offset, scale * noise), _SEEDS) / scale / plain
            for scale, offset in changes
        ]
        yield _row(name, plain, *(f"x {ratio:.2f}" for ratio in ratios))


def _floor(means: Matrix, delay: float) -> float:
    """Return what nobody can avoid: before D rounds nothing is known of what has begun."""
    changed = np.flatnonzero(np.any(np.diff(means, axis=0) != 0.0, axis=1)) + 1
    lost = float(means[0].max() - means[0].mean())
    for t in changed:
        lost += float(means[t].max() - means[t, int(means[t - 1].argmax())])
    return delay * lost


def _late() -> Iterator[str]:
    yield "## Late rewards, arms\n\nTarget: at most 1.5 times the regret without delay plus 3 times what nobody can avoid, the *floor*."
    yield "Cells: regret, the limit, and the regret of the policy that is told the bound and counts nothing in flight.\n"
    yield from _head("world", "at once", *_LAWS)
    n_within = n_cells = 0
    for name, n_arms, levels in (
        ("calm", 2, 1), ("calm", 3, 1), ("calm", 10, 1), ("switching", 2, 5), ("switching", 3, 5), ("switching", 10, 5),
    ):  # fmt: skip
        means = _steps(_HORIZON, _drawn(10 * n_arms + levels, levels, n_arms, 0.1, 0.9))
        world = _arms(means, 0.3)
        at_once, cells = _mean(_FREE, world, _LATE_SEEDS), []
        for law, delay in _LAWS.values():
            limit = 1.5 * at_once + 3.0 * _floor(means, delay)
            cells.append(_late_cell(world, law, limit))
            n_within, n_cells = n_within + (_OVER not in cells[-1]), n_cells + 1
        yield _row(f"{name}, {n_arms} arms", at_once, *cells)
    yield f"\n{n_within} of {n_cells} cells are within the target."


def _click_worlds() -> dict[str, Matrix]:
    horizon, t = _CLICK_HORIZON, np.linspace(0.0, 4.0 * np.pi, _CLICK_HORIZON)[:, None]
    return {
        ".1, .15, .2 %": _steps(horizon, [[0.001, 0.0015, 0.002]]),
        "1, 1.5, 2 %": _steps(horizon, [[0.01, 0.015, 0.02]]),
        "3, 4, 5 %": _steps(horizon, [[0.03, 0.04, 0.05]]),
        "10 arms, .1 to 1 %": _steps(horizon, _drawn(3, 1, 10, 0.001, 0.01)),
        "5 arms, .5 to 5 %, 4 changes": _steps(horizon, _drawn(4, 5, 5, 0.005, 0.05)),
        "10 arms, .1 to 1 %, 2 changes": _steps(horizon, _drawn(5, 3, 10, 0.001, 0.01)),
        "5 arms, 1 to 3 %, 3 changes": _steps(horizon, _drawn(6, 4, 5, 0.01, 0.03)),
        "3 arms, seasons about 1.5 %": 0.015 + 0.01 * np.sin(t + 2.0 * np.pi * np.arange(3) / 3),
    }


def _compared(
    worlds: dict[str, Any], rivals: dict[str, Any], seeds: Iterable[int], **others: Any
) -> Iterator[str]:
    """Yield a table of regrets; the last column is that of the first policy over the best rival."""
    yield from _head("world", "`AdaptiveUCB()`", *others, *rivals, "over the best of these")
    ratios = []
    for name, world in worlds.items():
        mine = _mean(_FREE, world, seeds)
        aside = [_mean(each, world, seeds) for each in others.values()]
        theirs = [_mean(each, world, seeds) for each in rivals.values()]
        ratios.append(mine / min(theirs))
        yield _row(name, mine, *aside, *theirs, f"{ratios[-1]:.2f}")
    mean = float(np.exp(np.mean(np.log(ratios))))
    yield f"\nIn the geometric mean {mean:.2f}, at worst {max(ratios):.2f}."


def _clicks() -> Iterator[str]:
    yield "## Clicks\n\nTarget: against the best of Beta Thompson sampling with discounts 1, .9999 and .9997, chosen in hindsight for"
    yield "each world, 1.5 in the geometric mean, and never above 3.\n"
    rivals = {f"discount {each:g}": dw.DiscountedBetaTS(discount=each) for each in DISCOUNTS}
    worlds = {name: _arms(means, None) for name, means in _click_worlds().items()}
    yield from _compared(worlds, rivals, _SEEDS, **{"told the bound": _TOLD})


def _coins() -> Iterator[str]:
    yield "## Clicks at common rates\n\nTarget: no worse than with the bound told, on rates of 10 to 90 %.\n"
    worlds = {
        ".3, .5, .7": _steps(_HORIZON, [[0.3, 0.5, 0.7]]),
        "4 arms, calm": _steps(_HORIZON, _drawn(7, 1, 4, 0.1, 0.9)),
        "4 arms, 4 changes": _steps(_HORIZON, _drawn(8, 5, 4, 0.1, 0.9)),
        "10 arms, 2 changes": _steps(_HORIZON, _drawn(9, 3, 10, 0.1, 0.9)),
        "waves, 3 arms": _waves(_HORIZON, 3),
    }
    made = {name: _arms(means, None) for name, means in worlds.items()}
    yield from _compared(made, {"told the bound": _TOLD}, _SEEDS)


def _hidden() -> Iterator[str]:
    yield "## Hidden improvements\n\nAn arm that is worse becomes the best one half way, unseen. Target: at most 3 times the regret of the"
    yield f"best window of {', '.join(map(str, _WINDOWS))} rounds, in hindsight, of a `SlidingWindowUCB` that knows noise and bound.\n"
    yield from _improvements(0.1, 0.3)
    yield "\nWith hardly any noise the target is missed. How large a jump may be, nothing says but the noise and what arms"
    yield "were seen to do; one that is behind by many times the noise is hardly looked at again.\n"
    yield from _improvements(0.01, 0.03)


def _improvements(*noises: float) -> Iterator[str]:
    yield from _head(
        "usual, poor, improved, noise", "`AdaptiveUCB()`", "told the bound", "best window", "ratio"
    )
    ratios = []
    for usual, poor, improved in (
        (0.5, 0.3, 0.8), (0.5, 0.0, 0.7), (0.7, 0.4, 0.9), (0.8, 0.1, 1.0), (0.9, 0.0, 1.0), (0.9, 0.4, 1.0),
    ):  # fmt: skip
        for noise in noises:
            world = dw.worlds.HiddenImprovement(
                horizon=_HIDDEN_HORIZON, usual=usual, poor=poor, improved=improved, noise=noise
            )
            mine, told = (_mean(each, world, _SEEDS) for each in (_FREE, _TOLD))
            best = min(
                _mean(
                    dw.SlidingWindowUCB(window, noise, confidence=1 / _HIDDEN_HORIZON),
                    world,
                    _SEEDS,
                )
                for window in _WINDOWS
            )
            ratios.append(mine / best)
            yield _row(
                f"{usual:g}, {poor:g}, {improved:g}, {noise:g}",
                mine,
                told,
                best,
                f"{ratios[-1]:.2f}",
            )
    mean = float(np.exp(np.mean(np.log(ratios))))
    yield f"\nIn the geometric mean {mean:.2f}, at worst {max(ratios):.2f}."


def _features() -> Iterator[str]:
    yield "## Features\n\nFresh decision sets, d = 5. Target: actions times 1e-3 to 1e3 at most 1.2 times, features of different"
    yield "scales at most 1.5 times the regret of the features as they are.\n"
    scales: dict[str, list[float] | None] = {
        "as they are": None, "x 0.001": [1e-3] * 5, "x 100": [100.0] * 5, "x 1000": [1000.0] * 5,
        "1000 and .001 in one row": [1000.0, 1.0, 1.0, 1.0, 0.001],
    }  # fmt: skip
    yield from _head("variation, noise", *scales, "told the bound")
    for variation, noise in ((5.0, 0.1), (5.0, 0.3), (0.0, 0.1)):
        regrets = [
            _mean(_FREE, _fresh_sets(variation, noise, scale), _SEEDS) for scale in scales.values()
        ]
        ratios = [f"x {each / regrets[0]:.2f}" for each in regrets[1:]]
        told = _mean(_TOLD, _fresh_sets(variation, noise, None), _SEEDS)
        yield _row(f"{variation:g}, {noise:g}", regrets[0], *ratios, told)
    yield "\nLate rewards. Target as for arms; nobody can avoid to choose at random while no reward has come.\n"
    yield from _head("variation, noise", "at once", *_LAWS)
    for variation, noise in ((5.0, 0.1), (0.0, 0.1)):
        world = _fresh_sets(variation, noise, None)
        at_once, cells = _mean(_FREE, world, _LATE_SEEDS), []
        at_random = _mean(dw.Uniform(), world, _LATE_SEEDS) / world.horizon
        for law, delay in _LAWS.values():
            limit = 1.5 * at_once + 3.0 * delay * at_random
            cells.append(_late_cell(world, law, limit))
        yield _row(f"{variation:g}, {noise:g}", at_once, *cells)


def _fresh_sets(variation: float, noise: float, scales: list[float] | None) -> Any:
    return dw.worlds.FreshSets(
        horizon=_HORIZON // 2, dimension=5, variation=variation, noise=noise, scales=scales
    )


def _late_cell(world: Any, law: Any, limit: float) -> str:
    found, told = (_mean(each, world, _LATE_SEEDS, delay=law) for each in (_FREE, _TOLD))
    mark = "" if found <= limit else _OVER
    return f"{found:,.0f} of {limit:,.0f} ({told:,.0f}){mark}"


if __name__ == "__main__":
    main()
