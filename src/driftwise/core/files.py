"""Files that are whole or absent."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write"]


def write(path: Path, content: bytes, *, is_private: bool = False) -> Path:
    """Write a file under a temporary name and give it its own only when it is complete.

    A private file can be read and written by the user only. A pipe or a device is written to as it
    is: another file must not take its place.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            stream.write(content)
        return path
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
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
