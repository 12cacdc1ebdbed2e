"""Measure everything, write BENCHMARKS.md, and say whether the budget holds."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from . import (
    compiled_loop,
    encoding,
    fixed_sets,
    instructions,
    matrix_products,
    memory,
    named_actions,
    other_policies,
    outside_the_loop,
    python_calls,
    several_cores,
    start_up,
)
from .budget import judge, read_budget
from .growth import exponents, measure_growth
from .growth_figure import draw
from .machine import describe
from .measurement import Measurement
from .page import line_of, page
from .peers.results import fastest, read_peers
from .timing import pin

_ROOT = Path(__file__).parents[1]
_FIGURE = Path("benchmarks", "figures", "growth.svg")


def main() -> int:
    """Return 0 if everything is within the budget, otherwise 1."""
    cores = os.sched_getaffinity(0)
    pin()
    budget, peers = read_budget(), read_peers()
    measurements: list[Measurement] = []
    parts: list[Callable[[], Iterable[Measurement]]] = [
        compiled_loop.measure,
        instructions.measure,
        matrix_products.measure,
        fixed_sets.measure,
        python_calls.measure,
        lambda: fastest(peers),
        encoding.measure,
        named_actions.measure,
        other_policies.measure,
        _growth,
        lambda: several_cores.measure(cores),
        outside_the_loop.measure,
        lambda: memory.measure(10**8),
        start_up.measure,
    ]
    start = time.monotonic()
    for part in parts:
        for measurement in part():
            measurements.append(measurement)
            known = {key: limit for key, limit in budget.items() if key == measurement.key}
            print(line_of(judge([measurement], known)[0]), flush=True)
    verdicts = judge(measurements, budget)
    facts = describe(cores) | {"time": f"{time.monotonic() - start:.0f} s"}
    text = page(verdicts, facts, peers, _FIGURE.as_posix())
    (_ROOT / "BENCHMARKS.md").write_text(text, "utf-8")
    missed = [verdict for verdict in verdicts if not verdict.is_met]
    print(f"\n{len(budget) - len(missed)} of {len(budget)} targets are met; see BENCHMARKS.md")
    for verdict in missed:
        print(line_of(verdict), file=sys.stderr)
    return 1 if missed else 0


def _growth() -> Iterator[Measurement]:
    panels = measure_growth()
    draw(panels, _ROOT / _FIGURE)
    yield from exponents(panels)


if __name__ == "__main__":
    sys.exit(main())
