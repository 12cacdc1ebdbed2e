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
_depth = (
    threading.local()
)  # how many compilations this thread is in: rules are compiled inside a loop
_told: set[str] = set()  # of which classes: an agent has several functions compiled
_timers: dict[int, threading.Timer] = {}  # by thread


def tell() -> None:
    """From now on, say so on standard error when a compilation takes longer than a second."""
    when_compiling(_begin, _end)


def _begin(kinds: Any) -> None:
    _depth.value = getattr(_depth, "value", 0) + 1
    # The policy of a loop comes first. What a thread compiles in the background, nobody waits for.
    cls = getattr(next(iter(kinds), None), "instance_class", None)
    is_first = _depth.value == 1 and threading.current_thread() is threading.main_thread()
    if is_first and cls is not None and is_watched():
        timer = threading.Timer(_PATIENCE, _say, [cls.__name__])
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
    print(f"driftwise: compiling {name} ...{kept}", file=sys.stderr, flush=True)
