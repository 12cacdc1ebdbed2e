"""Bikes to stage, hour by hour: forgetting pays. Run it after `make data`; it takes some seconds.

The data are 8,645 hours of Washington's bike share in 2011 (ISLP, `Bikeshare`). What is to be decided is ours:
every hour one of five numbers of bikes is staged; a rental brings 1, a staged bike costs 0.3, and the
result is scaled to [0, 1]. Demand tells what every level would have brought, so all rewards are known. The log is
drawn: a level by chance, each alike. Estimates from the log alone can then be held to the truth.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import driftwise as dw

LEVELS = np.array([40.0, 100.0, 180.0, 280.0, 420.0])
COST = 0.3  # of a staged bike, where a rental brings 1
POLICIES: dict[str, Any] = {"AdaptiveUCB": dw.AdaptiveUCB(), "LinUCB": dw.LinUCB(noise=0.2)}


def main(folder: Path) -> None:
    """Print what the log says and what is true, and draw values over time."""
    rows, rewards, times = problem(data_file())
    log = logged(rows, rewards, times)
    gains = dw.evaluation.forgetting(log)
    print(gains, "\n")
    advice = dw.evaluation.advice(log, POLICIES, bounds=(0.0, 1.0), window=1000)
    print(advice, "\n")
    everything = dw.evaluation.all_traffic(log, POLICIES)
    world = dw.worlds.Recorded(decision_sets=rows, rewards=rewards)
    for name, policy in POLICIES.items():
        true = dw.simulate(policy, world).total_reward / len(rewards)
        print(f"with all traffic, {everything[name].as_text()}\n  true: {true:.4g}")
    advice.plot()
    plt.savefig(folder / "bikes.svg")
    print(f"drawn: {folder / 'bikes.svg'}")


def data_file() -> Path:
    """Return where the data lie; the package itself, which would load others, is not imported."""
    found = importlib.util.find_spec("ISLP")
    if found is None or found.origin is None:
        sys.exit("bikes: the data are not here; get them with `make data`")
    return Path(found.origin).parent / "data" / "Bikeshare.csv"


def problem(file: Path) -> tuple[Any, Any, Any]:
    """Return the rows (T, 5, 18) and rewards (T, 5) of all levels, and the times in seconds."""
    import polars as pl

    table = pl.read_csv(file)
    hour = table["hr"].cast(float).to_numpy()
    demand = table["bikers"].cast(float).to_numpy()
    angle = 2.0 * np.pi * hour / 24.0
    shared = np.stack(
        [np.ones(len(hour)), np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle),
         2.0 * table["workingday"].to_numpy() - 1.0], axis=1,
    ) / np.sqrt(6.0)  # fmt: skip
    level = LEVELS / LEVELS.max()
    own = np.stack([np.ones(len(level)), level, level * level], axis=1) / np.sqrt(3.0)
    rows = (shared[:, None, None, :] * own[None, :, :, None]).reshape(len(hour), len(level), -1)
    earned = np.minimum(demand[:, None], LEVELS) - COST * LEVELS
    least, most = -COST * LEVELS.max(), (1.0 - COST) * LEVELS.max()
    new_year = 1_293_840_000.0  # 2011, in seconds since 1970
    times = new_year + 86_400.0 * (table["day"].to_numpy() - 1.0) + 3600.0 * hour
    return rows, (earned - least) / (most - least), times


def logged(rows: Any, rewards: Any, times: Any) -> dw.Log:
    """Return a log in which a level is chosen by chance, each alike."""
    n, n_levels = rewards.shape
    chosen = np.random.default_rng(0).integers(n_levels, size=n)
    return dw.Log(
        {"time": float(times[t]), "decision_set": rows[t].tolist(), "action": int(chosen[t]),
         "propensities": [1.0 / n_levels] * n_levels, "reward": float(rewards[t, chosen[t]])}
        for t in range(n)
    )  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/examples")
    target.mkdir(parents=True, exist_ok=True)
    main(target)
