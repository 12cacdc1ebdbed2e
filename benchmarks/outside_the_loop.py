"""What `driftwise reproduce` costs beside its compiled loop, in CPU time.

No profiler: the loop is wrapped in a clock, which is read twice for each chunk of rounds. What is
left is the drawing of worlds, the report and its figures, and the start of Python. In seconds, since
a faster loop would only make a share of the whole smaller.
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
    """Yield the CPU time outside the loop, in seconds."""
    # The first run compiles what is not on disk yet, which is no part of the loop.
    _, parts = (run_child("-m", __spec__.name, str(n), limit=3600.0)[0] for n in (1, _REPLICATIONS))
    outside = parts["whole"] - parts["loop"]
    report = outside - parts["worlds"] - parts["start"]
    yield Measurement(
        "reproduce_outside_the_loop",
        f"`driftwise reproduce`, {_REPLICATIONS} replications: CPU time outside the compiled loop",
        outside,
        "s",
        note=f"{parts['whole']:.1f} s of CPU in total: worlds {parts['worlds']:.1f} s, "
        f"{parts['noise']:.1f} s of them compiled code that draws noise, start of Python and "
        f"imports {parts['start']:.1f} s, cells, files and the report {report:.1f} s",
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
