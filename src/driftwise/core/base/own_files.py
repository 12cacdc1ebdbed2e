"""Files that nobody but the user can have written, for content that runs as the user's code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .files import write

__all__ = ["read_own", "write_own"]


def read_own(path: Path) -> bytes:
    """Return the content of a file; raise PermissionError if others could have written it."""
    _require_own(path.parent, path.parent.stat())
    with path.open("rb") as file:
        # Asked of what is open: whoever can write to a folder above could exchange the name meanwhile.
        _require_own(path, os.fstat(file.fileno()))
        return file.read()


def write_own(path: Path, content: bytes) -> None:
    """Write a file that nobody else can read, into a folder that nobody else can enter."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _require_own(path.parent, path.parent.stat())
    write(path, content, is_private=True)


def _require_own(path: Path, found: os.stat_result) -> None:
    # Links are followed: what counts is who can write to where they lead. Folders above are not looked
    # at: who can write there can put another folder in this place, but none that belongs to the user.
    if not hasattr(os, "geteuid"):  # Windows: a user's folders are private by their access lists
        return
    user, mode = os.geteuid(), stat.S_IMODE(found.st_mode)
    if found.st_uid != user or mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(
            f"{path} must belong to user {user} and be writable by nobody else (mode 700), got a "
            f"{'folder' if stat.S_ISDIR(found.st_mode) else 'file'} of user {found.st_uid} with "
            f"mode {mode:o}"
        )
