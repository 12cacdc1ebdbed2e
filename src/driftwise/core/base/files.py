"""Files that are complete or absent."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["DRAFT", "remove_drafts", "write"]

DRAFT = ".draft"  # how the name of an unfinished file ends
_LONG_AGO = 3600.0  # seconds: no writer takes so long


def write(path: Path, content: bytes, *, is_private: bool = False) -> Path:
    """Write a file under a temporary name and give it its own only when it is complete.

    A private file can be read and written by the user only. A pipe or a device is written to as it
    is: another file must not take its place.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            stream.write(content)
        return path
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=DRAFT)
    try:
        with _locked(handle):
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # or a power cut could leave the name without the content
            # mkstemp makes files private; results get the permissions that any new file gets.
            if not is_private:
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(unfinished, 0o666 & ~mask)
            os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    return path


def remove_drafts(path: Path) -> None:
    """Remove what writers of this file left behind that were killed, and nothing of the living."""
    middle = "[a-z0-9_]{8}"  # as mkstemp makes it
    name = re.compile(re.escape(f".{path.name}.") + middle + re.escape(DRAFT))
    drafts: list[Path] = []
    with contextlib.suppress(OSError):  # a folder may take files and not tell which it has
        drafts = [entry for entry in path.parent.iterdir() if name.fullmatch(entry.name)]
    for draft in drafts:
        with contextlib.suppress(OSError):  # gone by now, or of another user, or being written
            _remove_if_abandoned(draft)


@contextlib.contextmanager
def _locked(handle: int) -> Iterator[None]:
    """Hold a lock on a draft, where the system has locks: it ends with its owner, however that dies."""
    if sys.platform == "win32":
        yield
        return
    lock = os.dup(handle)  # the file is closed before it gets its name, and a lock with it
    try:
        with contextlib.suppress(OSError):  # some network drives have none
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _remove_if_abandoned(draft: Path) -> None:
    is_old = time.time() - draft.stat().st_mtime > _LONG_AGO
    if sys.platform == "win32":
        if is_old:
            draft.unlink()
        return
    with draft.open("r+b") as file:  # network drives lock nothing that is open for reading only
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
        # A writer locks its draft before it writes to it: an empty one may be about to be locked.
        if is_old or os.fstat(file.fileno()).st_size > 0:
            draft.unlink()
