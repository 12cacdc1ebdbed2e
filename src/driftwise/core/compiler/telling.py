"""Telling a person who waits that the compiler is at work, and on what."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from ..base.waiting import is_watched
from .machine_code import folder
from .numba_parts import when_compiling

__all__ = ["tell"]

_PATIENCE = 1.0  # seconds before a word is said
_PAUSE = 1.0  # seconds between two words of how long it has taken
_WIDTH = 79  # of a line: it takes the place of a bar that may stand there
_depth = (
    threading.local()
)  # how many compilations this thread is in: rules are compiled inside a loop
_told: set[str] = set()  # of which policies, which have several functions, and of which functions
# By thread: whether it is over, and who tells.
_watches: dict[int, tuple[threading.Event, threading.Thread]] = {}


def tell() -> None:
    """From now on, say so on standard error when a compilation takes longer than a second, and how long."""
    when_compiling(_begin, _end)


def _begin(function: str, kinds: Any) -> None:
    _depth.value = getattr(_depth, "value", 0) + 1
    # The policy of a loop comes first.
    policy = getattr(next(iter(kinds), None), "instance_class", None)
    # Threads with a name of ours compile in the background, and nobody waits for them.
    is_ours = threading.current_thread().name.startswith("driftwise ")
    if _depth.value == 1 and not is_ours and is_watched():
        is_over = threading.Event()
        name = policy.__name__ if policy else function
        teller = threading.Thread(target=_watch, args=[name, is_over], daemon=True)
        teller.start()
        _watches[threading.get_ident()] = is_over, teller


def _end() -> None:
    _depth.value -= 1
    if _depth.value == 0 and threading.get_ident() in _watches:
        is_over, teller = _watches.pop(threading.get_ident())
        is_over.set()
        teller.join()  # or it would wipe out what is printed next


def _watch(name: str, is_over: threading.Event) -> None:
    began = time.monotonic()
    if is_over.wait(_PATIENCE):
        return
    if name not in _told:
        _told.add(name)
        place = folder()
        kept = "" if place is None else f" (once; kept in {place})"
        _write(f"driftwise: compiling {name} ...{kept}", "\n")
    has_counted = False
    while not is_over.wait(_PAUSE):
        _write(f"driftwise: compiling {name}, {time.monotonic() - began:.0f} s so far", "\r")
        has_counted = True
    if has_counted:
        _write("", "\r")


def _write(line: str, end: str) -> None:
    print(f"{line:<{_WIDTH}}", end=end, file=sys.stderr, flush=True)
