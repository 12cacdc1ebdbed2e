"""A folder that is known to take files."""

from __future__ import annotations

import tempfile
from pathlib import Path

__all__ = ["require_folder"]


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
