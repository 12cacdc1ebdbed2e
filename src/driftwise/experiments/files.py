"""Files that are whole or absent, in a folder that is known to take them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["require_folder", "write"]


def require_folder(folder: Path) -> Path:
    """Create ``folder`` if need be and prove that it takes files, before any long work.

    Raises
    ------
    OSError
        If it cannot be created or written, in one sentence that says why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The permission bits do not tell (a superuser, a read-only disk): only writing does.
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"probe")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OSError(
            f"out must be a folder that can be written, got {folder} ({reason})"
        ) from None
    return folder


def write(path: Path, content: bytes) -> Path:
    """Write a file under a temporary name and give it its own only when it is complete."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # mkstemp makes files private; results get the permissions that any new file gets.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(unfinished, 0o666 & ~mask)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    return path
