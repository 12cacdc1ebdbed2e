"""Service time: it never goes back, and no change of the machine's clock moves it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Anchor", "Clock", "wall"]

_UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_JUMP = 1_000_000  # microseconds between the wall clock and ours that count as a jump


class Anchor(NamedTuple):
    """A moment of service time, and what the machine's uptime was then."""

    t: int
    boot: str  # names one start of the machine
    uptime: int  # microseconds


class Clock:
    """Microseconds since 1970, by the wall clock when it began and by uptime from there on.

    A service that starts again on a machine that did not goes on by uptime, too: to it, a jump of the
    wall clock while it was down would look like a long sleep, and everything open would run out.

    Parameters
    ----------
    last
        The time of the last event, which is never gone behind.
    anchor
        From the service that ran before.
    """

    def __init__(
        self,
        last: int = 0,
        anchor: Anchor | None = None,
        *,
        wall: Callable[[], int] | None = None,
        uptime: Callable[[], int] | None = None,
    ) -> None:
        self._wall, self._uptime = wall or _wall, uptime or _uptime
        here = Anchor(self._wall(), _boot(), self._uptime())
        is_same = anchor is not None and here.boot != "" and anchor.boot == here.boot
        self.anchor = anchor if is_same and anchor is not None else here
        self._last = last
        self._ahead = self._wall() - self.now()  # of the wall clock
        self.jumps = 0

    @classmethod
    def at(cls, moment: int, last: int) -> Clock:
        """Return a clock that starts at a moment which all machines agree on, whatever this one believes."""
        start = _uptime()
        return cls(last, wall=lambda: moment + _uptime() - start)

    def now(self) -> int:
        """Return the time, never less than what was returned before."""
        t = self.anchor.t + self._uptime() - self.anchor.uptime
        self._last = t if t > self._last else self._last
        return self._last

    def look(self) -> int:
        """Compare with the wall clock, which nobody follows; return how often it has jumped."""
        ahead = self._wall() - self.now()
        if abs(ahead - self._ahead) > _JUMP:
            self.jumps += 1
        self._ahead = ahead
        return self.jumps


def _wall() -> int:
    return time.time_ns() // 1000


def wall(t: int) -> str:
    """Return a time as ISO 8601, to the second."""
    return _spelled(t // 1_000_000)


@lru_cache(maxsize=16)  # most decisions of a second expire in the same one
def _spelled(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _uptime() -> int:
    return time.clock_gettime_ns(_UPTIME) // 1000


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""  # unknown: then no anchor of another process is believed
