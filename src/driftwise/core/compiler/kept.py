"""What lies in the folder of machine code, and how to get rid of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from numba import typeof

from ..base.files import DRAFT
from .machine_code import folder, path_of

__all__ = ["Kept", "clear", "is_kept", "kept"]

# As `machine_code` names them: the folder may be Numba's own, with files of other packages.
_ENTRY = re.compile(rf"\.?.+-[0-9a-f]{{32}}\.bin(\.[a-z0-9_]{{8}}{re.escape(DRAFT)})?")


class Kept(NamedTuple):
    """How much there is."""

    n_files: int
    n_bytes: int


def kept() -> Kept:
    """Return how much machine code there is on disk."""
    sizes = [path.stat().st_size for path in _entries()]
    return Kept(len(sizes), sum(sizes))


def clear() -> Kept:
    """Remove it all and return how much that was; programs that run go on, and the next ones compile."""
    n_files, n_bytes = 0, 0
    for path in _entries():
        with suppress(FileNotFoundError):  # somebody else clears, too
            size = path.stat().st_size
            path.unlink()
            n_files, n_bytes = n_files + 1, n_bytes + size
    return Kept(n_files, n_bytes)


def is_kept(function: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether a compiled function is on disk for arguments of these types."""
    path = path_of(function, tuple(typeof(argument) for argument in arguments))
    return path is not None and path.exists()


def _entries() -> Iterator[Path]:
    place = folder()
    if place is not None and place.is_dir():
        yield from (path for path in sorted(place.iterdir()) if _ENTRY.fullmatch(path.name))
