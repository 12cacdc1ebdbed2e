"""Folders whose names are on disk: a file is synced, and a new folder that it is in may still be lost."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["make_folder", "sync_folder"]


def make_folder(path: Path) -> None:
    """Make a folder, and those on the way to it, so that a power cut takes none of them away."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Have the names of what is in a folder on disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
