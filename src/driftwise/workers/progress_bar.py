"""Progress as a bar, for people who look at a terminal."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

__all__ = ["Bar"]


class Bar:
    """A bar with rounds per second and the time left."""

    def __init__(self, total: int) -> None:
        self._shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            Speed(),
            TimeElapsedColumn(),
            TextColumn("elapsed,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
        )
        self._total = total
        self._task = self._shown.add_task("starting", total=total)

    def __enter__(self) -> Self:
        self._shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.stop()

    def say(self, what: str) -> None:
        """Name what is going on, left of the bar."""
        self._shown.update(self._task, description=what)

    def skip(self, rounds: int) -> None:
        """Lower the total, so that speed and time left count only work that is done."""
        self._total -= rounds
        self._shown.update(self._task, total=self._total)

    def advance(self, rounds: int) -> None:
        """Lengthen the bar."""
        self._shown.advance(self._task, rounds)


class Speed(ProgressColumn):
    """Rounds per second."""

    def render(self, task: Task) -> Text:
        """Return the recent speed, in millions."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed / 1e6:.1f} million rounds/s")
