"""What a child process of `background` does: compile what its parent asks for, into the cache."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from .machine_code import folder

__all__ = ["main"]

_PATIENCE = 1.0  # seconds: a decision is often followed by its reward, which needs another function


def main() -> None:
    """Compile what standard input names; end if there is no more, or if the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent
    orders: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=[orders], daemon=True).start()
    while True:
        try:
            order = orders.get(timeout=_PATIENCE)
        except Empty:
            os._exit(0)  # at once: the reader sits in a read that nothing ends
        module, name, signature = pickle.loads(order)  # from the parent, through a pipe
        function = reduce(getattr, name.split("."), import_module(module))
        with _alone(folder()):
            function.compile(signature)


def _read(orders: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        orders.put(bytes.fromhex(line.decode()))
    os._exit(1)  # the parent has ended, however that was


@contextmanager
def _alone(place: Path | None) -> Iterator[None]:
    """Let one child at a time compile: the workers of a service all ask for the same."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    assert place is not None  # or nobody had asked
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
