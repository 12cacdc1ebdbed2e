"""How much of `driftwise reproduce` is the compiled loop: CPU time inside `play` over all CPU time.

No profiler: the loop is wrapped in a clock, which is read twice for each chunk of rounds. What is
left is the drawing of worlds, the report and its figures, and the start of Python.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from .child import run_child
from .measurement import Measurement

__all__ = ["measure"]

_REPLICATIONS = 100


def measure() -> Iterator[Measurement]:
    """Yield the share, in percent, and what it could be at best."""
    # The first run compiles what is not on disk yet, which is no part of the loop.
    _, parts, once = (
        run_child("-m", __spec__.name, str(n), limit=3600.0)[0] for n in (1, _REPLICATIONS, 1)
    )
    whole = parts["whole"]
    outside = whole - parts["loop"]
    report = outside - parts["worlds"] - parts["start"]
    # What any number of replications takes: imports, figures with the worlds in them, the report.
    fixed = once["whole"] - once["loop"]
    yield Measurement(
        "reproduce_share",
        f"`driftwise reproduce`, {_REPLICATIONS} replications: CPU time inside the compiled loop",
        100.0 * parts["loop"] / whole,
        "%",
        # In seconds too: a faster loop makes the share smaller, and nothing worse.
        note=f"{whole:.1f} s of CPU in all, {outside:.1f} s outside the loop: worlds "
        f"{parts['worlds']:.1f} s, {parts['noise']:.1f} s of them compiled code that draws noise, "
        f"start of Python and imports {parts['start']:.1f} s, cells, files and the report "
        f"{report:.1f} s",
    )
    yield Measurement(
        "reproduce_share_at_best",
        "the same if every replication but the first cost nothing beside its loop",
        100.0 * parts["loop"] / (parts["loop"] + fixed),
        "%",
        note=f"a single replication takes {fixed:.1f} s beside its loop: Python, figures, report",
    )


def _timed(function: Callable[..., Any], name: str, spent: Counter[str]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        start = time.thread_time()
        result = function(*arguments)
        spent[name] += time.thread_time() - start  # type: ignore[assignment]  # seconds
        return result

    return call


def _drawn(rounds: Callable[..., Iterator[Any]], spent: Counter[str]) -> Callable[..., Any]:
    def draw(*arguments: Any) -> Iterator[Any]:
        chunks = rounds(*arguments)
        step = _timed(lambda: next(chunks, None), "worlds", spent)
        while (chunk := step()) is not None:
            yield chunk

    return draw


def _parts(replications: int) -> dict[str, float]:
    from driftwise.core.engine import simulate
    from driftwise.core.randomness import filling
    from driftwise.experiments.reproduce import reproduce
    from driftwise.worlds.parts.base import BaseWorld

    spent: Counter[str] = Counter(loop=0, worlds=0, noise=0)
    simulate.play = _timed(simulate.play, "loop", spent)
    # Looked up in its module at every call.
    filling.fill_sums = _timed(filling.fill_sums, "noise", spent)
    BaseWorld.rounds = _drawn(BaseWorld.rounds, spent)  # type: ignore[method-assign]  # on purpose
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        reproduce(replications=replications, jobs=1, out=folder, quiet=True)
    return {**spent, "start": start, "whole": time.process_time()}


if __name__ == "__main__":
    import sys

    print(json.dumps(_parts(int(sys.argv[1]))))
