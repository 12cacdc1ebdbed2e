"""The process in which shadows follow: problems come by standard input, standings go to standard output."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from ..events import DamageError
from ..logs import say
from ..problem.reading import parse_problem
from ..stores.places import place_of
from ..stores.protocol import Log, StoreError
from .following import Follower
from .process import Told, Watched

_CHUNK = 2_000  # events between two looks at the others, and at whether to end
_PAUSE = 1.0  # seconds, when nothing is new
_PAUSE_AFTER_FAULT = 5.0


class _Watch:
    """One problem, whose log may not be there yet, or for a while."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._problem = parse_problem(watched.text, watched.name)
        self._log: Log | None = None
        self._follower: Follower | None = None
        self._told: bytes = b""

    def step(self) -> bool:
        """Follow a little; return whether there is more."""
        name = self._watched.name
        if self._follower is None:
            with suppress(FileNotFoundError):
                self._log = place_of(self._watched.source, Path(name), name).log()
                self._follower = Follower(self._problem, self._log)
        if self._follower is None:
            return False
        n_events = self._follower.follow(_CHUNK)
        line = msgspec.json.encode(Told(name, self._follower.standings()))
        if line != self._told:
            self._told = line
            sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()
        return n_events == _CHUNK

    def give_up(self) -> None:
        """Begin anew."""
        if self._log is not None:
            self._log.close()
        self._log = self._follower = None


def main() -> None:
    """Follow until standard input ends, as it does when the service is gone, however it ended."""
    with suppress(OSError):
        os.nice(19)  # decisions come first
    watches = [_Watch(each) for each in msgspec.json.decode(input(), type=list[Watched])]
    pause = 0.0
    while not select.select([sys.stdin], [], [], pause)[0]:
        pause = _PAUSE
        for watch in watches:
            try:
                if watch.step():
                    pause = 0.0
            # Rows that were archived while they were read leave a gap, too.
            except (StoreError, DamageError, OSError, ValueError) as error:
                say("shadows", fault=str(error))
                watch.give_up()
                pause = _PAUSE_AFTER_FAULT


if __name__ == "__main__":
    main()
