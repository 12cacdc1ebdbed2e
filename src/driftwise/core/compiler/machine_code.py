"""Machine code on disk: one file per entry, named by everything that it depends on.

Numba's own cache keeps one index per function, and three things go wrong with it here. It does
not notice an edit in another file. It unpickles the index as a whole, so one policy from a module
that is gone breaks all others. And two processes that compile different policies at once can
claim the same file. Here a key is a digest, a file belongs to one key, and a file appears by an
atomic rename. What is kept is pickle, which runs as code when it is read: only files are used that
nobody but the user can have written.
"""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from ..base.own_files import read_own, write_own
from .numba_parts import Cache, kept_for, machine_of, packed, unpacked
from .reach import reach

__all__ = ["MachineCode", "folder", "path_of"]

_PACKAGE = Path(__file__).parents[2]
_COMPILED_FOLDERS = ("core", "policies")  # the others never enter the compiler
_said: list[str] = []  # at most one sentence


class MachineCode(Cache):  # type: ignore[misc]  # numba has no types
    """What a Numba dispatcher asks of a cache."""

    def __init__(
        self,
        function: Callable[..., Any],
        classes_in: Callable[[Iterable[Any]], Iterator[type[Any]]],
    ) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._classes_in = classes_in
        self._is_enabled = True

    @property
    def cache_path(self) -> str:
        """The folder of all entries; empty if there is none."""
        return str(folder() or "")

    def enable(self) -> None:
        """Use the disk, as at the start."""
        self._is_enabled = True

    def disable(self) -> None:
        """Neither read nor write the disk."""
        self._is_enabled = False

    def flush(self) -> None:
        """Do nothing: an entry is never rewritten."""

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for these types, or None."""
        path = self.path(signature, target_context.codegen())
        if path is None:
            return None
        try:
            return unpacked(read_own(path), target_context)
        except FileNotFoundError:  # not compiled yet
            return None
        except Exception as error:  # whatever is wrong with a file, compiling again is the answer
            _say("machine code on disk is not used, so this process compiles again", error)
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled function."""
        path = self.path(signature, result.codegen)
        try:
            kept = None if path is None else packed(result)
            if path is not None and kept is not None:
                write_own(path, kept)
        except Exception as error:  # a full disk, another Numba: time lost, never an answer
            _say("machine code cannot be kept, so the next process compiles again", error)

    def path(self, signature: Any, codegen: Any) -> Path | None:
        """Return the file of one entry; None if it cannot be kept."""
        classes = sorted(set(self._classes_in(signature)), key=_full_name)
        # A class of a notebook or a script cannot be found by name from another process.
        if not self._is_enabled or any(cls.__module__ == "__main__" for cls in classes):
            return None
        place, reached = folder(), reach(classes)
        if place is None or reached is None:
            return None
        versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
        switches = (numba.config.OPT, numba.config.BOUNDSCHECK, numba.config.DEBUG)
        names = [_full_name(cls) for cls in classes]
        machine = (machine_of(codegen), versions, switches)
        sources = (_package_digest(), reached)
        parts = (self._name, str(signature), names, machine, sources)
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()
        return place / f"{self._name}-{digest[:32]}.bin"


def path_of(compiled: Any, signature: Any) -> Path | None:
    """Return where the machine code of a compiled function is kept, or will be; None if nowhere."""
    kept, codegen = kept_for(compiled)
    return kept.path(signature, codegen) if isinstance(kept, MachineCode) else None


def folder() -> Path | None:
    """Return where machine code is kept; None for a user without a home."""
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return Path(base or Path.home() / ".cache") / "driftwise"
    except RuntimeError as error:
        _say("machine code cannot be kept, so the next process compiles again", error)
        return None


def _say(consequence: str, error: Exception) -> None:
    """Warn, but once per process: what is wrong with one file is often wrong with all."""
    if not _said:
        _said.append(consequence)
        warnings.warn(
            f"{consequence}: {error} ({type(error).__name__})", RuntimeWarning, stacklevel=3
        )


def _full_name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@cache
def _package_digest() -> tuple[str, ...]:
    folders = (_PACKAGE / name for name in _COMPILED_FOLDERS)
    return tuple(_digest(path) for folder in folders for path in sorted(folder.rglob("*.py")))
