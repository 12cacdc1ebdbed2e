"""Why `all_traffic` misses on the bikes of examples/bikes.py: writes docs/bikes-measured.md.

`python -m benchmarks.bikes` runs it, in half a minute, after `make data`. Every number on that page comes from here.
"""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftwise as dw
from driftwise.evaluation.events import events_of
from driftwise.evaluation.posterior import Posterior

__all__ = ["PAGE", "main", "true_values"]

Numbers = NDArray[np.float64]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "bikes-measured.md"
EXAMPLE = runpy.run_path(str(ROOT / "examples" / "bikes.py"))
POLICIES: dict[str, Any] = EXAMPLE["POLICIES"]
LOGS, DRAWS = range(3), 8


def main() -> None:
    """Evaluate everything and write the page."""
    rows, rewards, _ = EXAMPLE["problem"](EXAMPLE["data_file"]())
    logs = [_log(rows, rewards, seed) for seed in LOGS]
    page = "\n".join(
        [_opening(), *_misses(rows, rewards, logs), "", *_reasons(rows, rewards, logs[0]), ""]
    )
    PAGE.write_text(page, "utf-8")
    print(page)


def _opening() -> str:
    return f"""# Why a model misses, measured

`all_traffic` on the bikes of [real data](tutorials/real-data.md), where the true value of a policy with all of the traffic
is known. {len(LOGS)} logs, drawn by seeds {LOGS[0]} to {LOGS[-1]}. This page is written by `python -m benchmarks.bikes`.
"""


def _log(rows: Numbers, rewards: Numbers, seed: int) -> dw.Log:
    n, n_levels = rewards.shape
    chosen: list[int] = np.random.default_rng(seed).integers(n_levels, size=(n,)).tolist()
    return dw.Log(
        {"decision_set": rows[t].tolist(), "action": chosen[t],
         "propensities": [1.0 / n_levels] * n_levels, "reward": float(rewards[t, chosen[t]])}
        for t in range(n)
    )  # fmt: skip


def true_values(
    rows: Numbers, means: Numbers, rewards: Numbers | None = None, seed: int = 0
) -> list[float]:
    """Return what each policy earns in expectation where all rewards are known."""
    world = dw.worlds.Recorded(
        decision_sets=rows, rewards=means if rewards is None else rewards, means=means
    )
    best = float(means.max(axis=1).sum())
    runs = dw.simulate_all(list(POLICIES.values()), world, seed=seed)
    return [(best - run.total_regret) / len(means) for run in runs]


def _misses(rows: Numbers, rewards: Numbers, logs: list[dw.Log]) -> list[str]:
    true = dict(zip(POLICIES, true_values(rows, rewards), strict=True))
    lines = ["| log | policy | true | all_traffic | z of the check |", "|---|---|---:|---|---:|"]
    for seed, log in zip(LOGS, logs, strict=True):
        for name, one in dw.evaluation.all_traffic(log, POLICIES, quiet=True).items():
            shown = f"{one.value:.4f} [{one.low:.4f}, {one.high:.4f}]"
            is_inside = one.low <= true[name] <= one.high
            verdict = "" if is_inside else " **misses**"
            lines.append(
                f"| {seed} | {name} | {true[name]:.4f} | {shown}{verdict} | {one.details['z']:.1f} |"
            )
    return lines


def _reasons(rows: Numbers, rewards: Numbers, log: dw.Log) -> list[str]:
    """Play in drawn worlds with other noise, and in the real one made linear."""
    events = events_of(log)
    posterior = Posterior(events)
    surprise, walks = posterior.surprises(), posterior.walks
    own = [surprise[events.chosen == k] for k in range(rewards.shape[1])]
    noise = math.sqrt((walks.squares / walks.n_rewards)[walks.weights.argmax()])
    shape = rewards.shape

    def drawn(with_noise: Callable[[Any], Numbers]) -> list[float]:
        found = []
        for j in range(DRAWS):
            random = np.random.default_rng(j)
            means = posterior.world(random).means
            found.append(true_values(rows, means, means + with_noise(random), seed=j))
        return [float(each) for each in np.mean(found, axis=0)]

    linear = np.stack(
        [
            row @ np.linalg.lstsq(row, reward, rcond=None)[0]
            for row, reward in zip(rows, rewards, strict=True)
        ]
    )
    spread = ", ".join(f"{each.std():.3f}" for each in own)
    table = {
        "drawn worlds, noise of one size": drawn(
            lambda r: noise * r.standard_normal((shape[0], 1))
        ),
        "drawn worlds, noise as seen, level by level": drawn(
            lambda r: np.stack([r.choice(each, shape[0]) for each in own], axis=1)
        ),
        "the real rewards, made linear in each hour": true_values(rows, linear),
        "the real rewards": true_values(rows, rewards),
    }
    return [
        "## Which part of the model is wrong",
        "",
        f"In log {LOGS[0]} the model has noise of {noise:.3f} for all levels; real rewards are off by {spread},",
        "level by level. What policies earn if one thing at a time is made as it is:",
        "",
        f"| where they play | {' | '.join(POLICIES)} |",
        "|---|" + "---:|" * len(POLICIES),
        *(
            f"| {where} | {' | '.join(f'{each:.4f}' for each in found)} |"
            for where, found in table.items()
        ),
        "",
        "Noise is a small part of it. With the real path of the parameter, and rewards that are linear, `AdaptiveUCB` earns",
        "what it really earns: so it is the path that the model has wrong. Demand comes back with the hours and the days, and its",
        "coefficients do not all move alike; those of the model walk at random, all at the same pace. The check",
        "does not see it: it holds the model to real rewards under the choices of `advice`, which learns from the log, and not",
        "under those of a policy that learns from its own. Rely on `advice` and `share` where a difference is as small as this.",
    ]


if __name__ == "__main__":
    main()
