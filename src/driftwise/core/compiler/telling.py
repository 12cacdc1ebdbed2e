"""Telling a person who waits that the compiler is at work, and on what."""

from __future__ import annotations

import sys
import threading
from typing import Any

from ..base.waiting import is_watched
from .machine_code import folder
from .numba_parts import when_compiling

__all__ = ["tell"]

_PATIENCE = 1.0  # seconds before a word is said
_WIDTH = 79  # of a line: it takes the place of a bar that may stand there
_depth = (
    threading.local()
)  # how many compilations this thread is in: rules are compiled inside a loop
_told: set[str] = set()  # of which policies, which have several functions, and of which functions
_timers: dict[int, threading.Timer] = {}  # by thread


def tell() -> None:
    """From now on, say so on standard error when a compilation takes longer than a second."""
    when_compiling(_begin, _end)


def _begin(function: str, kinds: Any) -> None:
    _depth.value = getattr(_depth, "value", 0) + 1
    # The policy of a loop comes first.
    policy = getattr(next(iter(kinds), None), "instance_class", None)
    # Threads with a name of ours compile in the background, and nobody waits for them.
    is_ours = threading.current_thread().name.startswith("driftwise ")
    if _depth.value == 1 and not is_ours and is_watched():
        timer = threading.Timer(_PATIENCE, _say, [policy.__name__ if policy else function])
        timer.daemon = True
        timer.start()
        _timers[threading.get_ident()] = timer


def _end() -> None:
    _depth.value -= 1
    if _depth.value == 0 and threading.get_ident() in _timers:
        _timers.pop(threading.get_ident()).cancel()


def _say(name: str) -> None:
    if name in _told:
        return
    _told.add(name)
    place = folder()
    kept = "" if place is None else f" (once; kept in {place})"
    line = f"driftwise: compiling {name} ...{kept}"
    print(f"{line:<{_WIDTH}}", file=sys.stderr, flush=True)
