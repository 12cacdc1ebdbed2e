"""A line that says how far work has come, for whoever has waited two seconds and would like to know."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import suppress
from typing import Self, TypeVar

__all__ = ["Waiting", "is_watched", "watched"]

_PATIENCE = 2.0  # seconds before a word is said
_PAUSE = 0.2  # seconds between two words
_WIDTH = 30  # of the bar
_LOOKS = 20  # at the clock, by which the time that is left is told

Item = TypeVar("Item")


def is_watched() -> bool:
    """Return whether a person sees standard error: a terminal, or a notebook."""
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())


class Waiting:
    """Work that is counted step by step: after two seconds, a bar on a terminal or in a notebook.

    Nothing where nobody looks: in a pipe, in other threads than the first, in workers. Where the total is
    not known, a count of what is done.

    Examples
    --------
    >>> with Waiting(1000, "Playing") as waiting:
    ...     waiting.advance(10)
    """

    def __init__(self, total: int | None, what: str, *, quiet: bool = False) -> None:
        self._total, self._what, self._done = total, what, 0
        self._began, self._next = time.monotonic(), _PATIENCE
        self._width = 0  # of what stands there now
        # When how much was done, recently: what took long at the start, such as to compile, is over.
        self._pace: deque[tuple[float, int]] = deque(maxlen=_LOOKS)
        self._lock = threading.Lock()  # threads that share the work count here
        is_first = threading.current_thread() is threading.main_thread()
        is_worker = multiprocessing.parent_process() is not None
        self._is_shown = is_first and not is_worker and not quiet and is_watched()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._write("")

    def say(self, what: str) -> None:
        """Name what is going on."""
        self._what = what

    def skip(self, steps: int) -> None:
        """Leave out work that need not be done."""
        if self._total is not None:
            self._total -= steps

    def advance(self, steps: int) -> None:
        """Count steps as done."""
        with self._lock:
            self._done += steps
            if self._is_shown:
                self._show()

    def _show(self) -> None:
        elapsed = time.monotonic() - self._began
        if elapsed >= self._next:
            self._next = elapsed + _PAUSE
            state = f"{self._done:,} so far" if self._total is None else self._share(self._total)
            self._write(f"{self._what} {state}{self._left(elapsed)}")

    def _share(self, total: int) -> str:
        share = min(self._done / max(total, 1), 1.0)
        return f"[{'#' * round(share * _WIDTH):.<{_WIDTH}}] {share:.0%}"

    def _left(self, elapsed: float) -> str:
        self._pace.append((elapsed, self._done))
        since, done = self._pace[0]
        if self._total is None or self._done == done:
            return ""
        left = (elapsed - since) * max(self._total - self._done, 0) / (self._done - done)
        return f", about {left:,.0f} s left"

    def _write(self, line: str) -> None:
        # The cursor goes back to the left: whatever is printed next takes the place of the bar.
        blank, self._width = " " * max(self._width - len(line), 0), len(line)
        with suppress(OSError):
            print(f"\r{line}{blank}", end="\r", file=sys.stderr, flush=True)


def watched(
    items: Iterable[Item],
    what: str,
    *,
    weigh: Callable[[Item], int] = lambda _: 1,
    total: int | None = None,
) -> Iterator[Item]:
    """Yield items, and show how far that has come, for whoever waits: see `Waiting`.

    Examples
    --------
    >>> list(watched([1, 2], "Reading"))
    [1, 2]
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Waiting(total, what) as waiting:
        for item in items:
            yield item
            waiting.advance(weigh(item))
