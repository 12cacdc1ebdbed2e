"""How far a run has come and how long it will take: a bar for people, lines for a log."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Protocol, Self, TextIO

from ..core.base.waiting import Waiting, is_watched

__all__ = ["Progress", "show_progress"]


class Progress(Protocol):
    """Something that is told of finished work, measured in rounds."""

    def __enter__(self) -> Self:
        """Begin to show progress."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Show no more."""

    def say(self, what: str) -> None:
        """Name what is going on."""

    def skip(self, rounds: int) -> None:
        """Leave out rounds that need not be played."""

    def advance(self, rounds: int) -> None:
        """Count rounds as done."""


def show_progress(total: int, *, quiet: bool) -> Progress:
    """Return a bar on standard error; lines if nobody looks at it; nothing if ``quiet``."""
    if quiet or sys.stderr is None:  # as where it was closed, or a program has no console
        return Silence()
    if not is_watched():
        return Lines(total, sys.stderr)
    if not sys.stderr.isatty():  # a notebook, where Rich needs widgets
        return Waiting(total, "Starting")
    from .progress_bar import Bar  # loads Rich, which nothing else here needs

    return Bar(total)


class Silence:
    """Progress that nobody wants to see."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, what: str) -> None:
        """Say nothing."""

    def skip(self, rounds: int) -> None:
        """Count nothing."""

    def advance(self, rounds: int) -> None:
        """Count nothing."""


class Lines:
    """A line for every tenth of the work."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total, self._stream = total, stream
        self._done, self._before, self._next = 0, 0, 1
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, what: str) -> None:
        """Write what is going on; what comes next is timed from here."""
        self._began, self._before = time.monotonic(), self._done
        self._write(what)

    def skip(self, rounds: int) -> None:
        """Lower the total."""
        self._total -= rounds

    def advance(self, rounds: int) -> None:
        """Write a line if another tenth is done."""
        self._done += rounds
        tenths = 10 * self._done // self._total
        if tenths >= self._next:
            self._next = tenths + 1
            elapsed = time.monotonic() - self._began
            played = self._done - self._before
            left = elapsed * (self._total - self._done) / max(played, 1)
            speed = played / max(elapsed, 1e-9) / 1e6
            self._write(
                f"{10 * tenths}% done, {speed:.2g} million rounds/s, about {left:.0f} s left"
            )

    def _write(self, line: str) -> None:
        with suppress(OSError):  # a log that is full must not cost the work
            print(line, file=self._stream, flush=True)
