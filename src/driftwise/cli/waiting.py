"""A progress bar on the terminal; nothing where there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

__all__ = ["Bar", "waiting"]


class Bar:
    """Work that is counted step by step."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def step(self, steps: int = 1) -> None:
        """Count steps as done."""
        self._progress.advance(self._task, steps)

    def say(self, what: str) -> None:
        """Name what is going on."""
        self._progress.update(self._task, description=what)


@contextmanager
def waiting(what: str, total: int) -> Iterator[Bar]:
    """Show how much of the work is done, on standard error if that is a terminal."""
    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    # To be quiet alone ends with an empty line in Rich before 14.3.
    with Progress(console=console, transient=True, disable=console.quiet) as progress:
        yield Bar(progress, progress.add_task(what, total=total))
