"""Fashion items on a shop's page, of which only logged clicks are known. Run it after `make data`; some seconds.

The data are 10,000 events of the Open Bandit Dataset (the sample in obp, `random/all`): one of 80 items was shown in
one of three places by chance, each alike. Nothing was constructed: each item is an arm, a click is the reward,
and what other items would have brought nobody knows. There are 38 clicks, and so the honest answer is short.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import driftwise as dw

N_ITEMS = 80
POLICIES: dict[str, Any] = {
    "DiscountedBetaTS": dw.DiscountedBetaTS(discount=0.999),
    "UCB1": dw.UCB1(),
}


def main(folder: Path) -> None:
    """Print what the log says, and draw values over time."""
    log = problem(data_file())
    for finding in log.soundness().findings:
        if finding.severity in ("error", "warning"):
            print(finding.as_text())
    print(dw.evaluation.value(log, "log", bounds=(0.0, 1.0)).as_text(), "\n")
    print(dw.evaluation.forgetting(log), "\n")
    advice = dw.evaluation.advice(log, POLICIES, bounds=(0.0, 1.0), window=2000)
    print(advice, "\n")
    advice.plot()
    plt.savefig(folder / "fashion.svg")
    print(f"drawn: {folder / 'fashion.svg'}")


def data_file() -> Path:
    """Return where the data lie; the package itself, which would load others, is not imported."""
    found = importlib.util.find_spec("obp")
    if found is None or found.origin is None:
        sys.exit("fashion: the data are not here; get them with `make data`")
    return Path(found.origin).parent / "dataset" / "obd" / "random" / "all" / "all.csv"


def problem(file: Path) -> dw.Log:
    """Return the log: items are arms."""
    import polars as pl

    table = pl.read_csv(file, columns=["timestamp", "item_id", "click", "propensity_score"])
    table = table.sort("timestamp", maintain_order=True)
    items = [str(item) for item in range(N_ITEMS)]
    return dw.Log(
        {"time": time, "actions": items, "action": item, "propensities": [p] * len(items),
         "reward": float(click)}
        for time, item, click, p in table.iter_rows()
    )  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/examples")
    target.mkdir(parents=True, exist_ok=True)
    main(target)
