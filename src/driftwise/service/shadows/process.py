"""The other end of the process in which shadows follow: it costs the event loop a line a second."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from ..logs import say
from .scoring import Standing

__all__ = ["Shadows", "Told", "Watched"]

_PAUSE = 5.0  # seconds before a process that has ended is replaced
_LONGEST_LINE = 2**24


class Watched(msgspec.Struct):
    """A problem with shadows: its file, and where its log is."""

    name: str
    text: str
    source: str


class Told(msgspec.Struct):
    """How the shadows of a problem do."""

    problem: str
    standings: list[Standing]


class Shadows:
    """Keeps a process that follows the logs of some problems.

    Parameters
    ----------
    watched
        Those with shadows; without any there is no process.
    """

    def __init__(self, watched: Sequence[Watched] = ()) -> None:
        self._watched = list(watched)
        self.standings: dict[str, list[Standing]] = {}  # by problem
        self._task: asyncio.Task[None] | None = None

    def of(self, name: str) -> list[Standing]:
        """Return how the shadows of a problem do."""
        return self.standings.get(name, [])

    def start(self) -> None:
        """Start the process, if there is anything to follow."""
        if self._watched:
            self._task = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """End the process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _keep(self) -> None:
        while True:
            await self._run()
            say("fault", reason="the process of the shadows has ended; another one starts")
            await asyncio.sleep(_PAUSE)

    async def _run(self) -> None:
        command = (sys.executable, "-m", "driftwise.service.shadows")
        # One thread for linear algebra: cores are for decisions.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env=environment, limit=_LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(self._watched) + b"\n")
            async for line in process.stdout:
                told = msgspec.json.decode(line, type=Told)
                self.standings[told.problem] = told.standings
        finally:
            process.stdin.close()
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
