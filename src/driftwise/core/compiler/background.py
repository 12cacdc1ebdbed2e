"""Compiling that nobody waits for: rules run interpreted until their machine code is there.

To compile the rules of a policy takes seconds, and to interpret one decision less than a millisecond,
with the same bits. So a program that makes its first decision has it interpreted, while a child
process compiles into the cache on disk, where this process finds it. Where there is no cache, or the
child cannot find a class (one of a notebook), a thread compiles instead: it takes turns with the
program, which is slower, but never stops it for long.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import typeof

from .machine_code import folder, path_of

__all__ = ["HOW", "is_never", "version_soon"]

# An environment variable: "wait" compiles at the first call, before it is answered; "never" does not compile.
HOW = "DRIFTWISE_COMPILE"
_MOST_TRIES = 2  # by children; then a thread
_CHILD = (
    "import json, os, sys; sys.path[:] = json.loads(os.environ['DRIFTWISE_PATH']); "
    "from driftwise.core.compiler.child import main; main()"
)


def version_soon(
    function: Any, arguments: Iterable[Any], *, is_waiting: bool = False
) -> tuple[Any, bool]:
    """Return what to call for arguments of these types, and whether that is final.

    It is the compiled version, see `compiled.version_for`, if there is one in this process or on disk.
    Otherwise it is the function interpreted, and the compiled version is on its way: ask again. Who is
    waiting gets the compiled version, however long that takes.
    """
    if not hasattr(function, "overloads"):
        return function, True
    signature = tuple(typeof(argument) for argument in arguments)
    is_waiting = is_waiting or os.environ.get(HOW) == "wait"
    if is_waiting or signature in function.overloads or _work.has_made(function, signature):
        return function.compile(signature), True
    return function.py_func, False


def is_never() -> bool:
    """Return whether agents are to run interpreted to the end, as programs do that make a few decisions."""
    return os.environ.get(HOW) == "never"


class _Work:
    """What this process has asked for, and who compiles it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paths: dict[
            Any, Path | None
        ] = {}  # by function and signature: all that was asked for
        self._child: subprocess.Popen[bytes] | None = None
        self._sent: list[
            Any
        ] = []  # to the child, which may have ended before it read the last ones
        self._tries: Counter[Any] = Counter()
        self._left: list[Any] = []  # for the thread: no child can compile these
        self._thread: threading.Thread | None = None
        self._errors: list[str] = []  # to be said by the next call

    def has_made(self, function: Any, signature: Any) -> bool:
        """Return whether machine code is on disk, and see that somebody compiles it if not."""
        with self._lock:
            key = function, signature
            is_new = key not in self._paths
            if is_new:
                self._paths[key] = path_of(function, signature)
            is_on_disk = self._is_on_disk(key)
            if is_new and not is_on_disk:
                self._ask_for(key)
            self._look_after()
            is_busy = self._thread is not None and self._thread.is_alive()
            errors, self._errors = self._errors, []
        for error in errors:
            warnings.warn(error, RuntimeWarning, stacklevel=6)
        # The compiler does one thing at a time, and to load is one of them.
        return is_on_disk and not is_busy

    def _is_on_disk(self, key: Any) -> bool:
        path = self._paths[key]
        return path is not None and path.exists()

    def _ask_for(self, key: Any) -> None:
        self._tries[key] += 1
        try:
            if self._paths[key] is None or self._tries[key] > _MOST_TRIES:
                raise ChildProcessError
            if self._child is None:
                self._child = _new_child()
            self._sent.append(key)
            _send(self._child, key)
        except BrokenPipeError:  # it has just ended: another one gets what was sent
            return
        except Exception:  # no more processes, no such program, classes that have no name
            self._left.append(key)

    def _look_after(self) -> None:
        """See what the child has left undone, and have a thread at work if that must be."""
        if self._child is not None and self._child.poll() is not None:
            self._end_child()
            sent, self._sent = self._sent, []
            for key in sent:
                if not self._is_on_disk(key):
                    self._ask_for(key)
        if self._left and (self._thread is None or not self._thread.is_alive()):
            # Not a daemon: to leave while LLVM is at work in a thread may crash.
            self._thread = threading.Thread(target=self._compile_left, name="driftwise compiler")
            self._thread.start()

    def _compile_left(self) -> None:
        while self._left:
            function, signature = self._left.pop()
            try:
                function.compile(signature)
            except Exception as error:  # what the compiler cannot read runs in Python
                policy = getattr(signature[0], "instance_class", signature[0])
                self._errors.append(
                    f"{getattr(policy, '__name__', policy)} cannot be compiled, so it stays slow; "
                    f"`driftwise.checks.check_policy` says more: {error}"
                )

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with suppress(BrokenPipeError):
                child.communicate()

    def stop(self) -> None:
        """Leave no child behind."""
        with self._lock:
            self._end_child()

    def before_fork(self) -> None:
        """Wait for the thread: a fork while it works would copy the compiler's lock as locked."""
        self._lock.acquire()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def after_fork(self) -> None:
        """Go on, in the process that has forked."""
        self._lock.release()


def _new_child() -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):  # then it is another program
        raise ChildProcessError
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE,  # stays open: the child ends when its parent does, however that ends
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder()), "DRIFTWISE_PATH": json.dumps(sys.path)},
    )


def _send(child: subprocess.Popen[bytes], key: Any) -> None:
    function, signature = key
    name = function.py_func.__module__, function.py_func.__qualname__
    assert child.stdin is not None
    child.stdin.write(pickle.dumps((*name, signature)).hex().encode() + b"\n")
    child.stdin.flush()


def _begin_anew() -> None:
    """In a fork: its parent's child and thread are not its own."""
    global _work
    _work = _Work()


_work = _Work()
atexit.register(lambda: _work.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _work.before_fork(),
        after_in_parent=lambda: _work.after_fork(),
        after_in_child=_begin_anew,
    )
