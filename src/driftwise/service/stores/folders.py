"""New files and folders: only their owner reads them, as they are about people, and folders outlive a power cut."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["make_file", "make_folder", "sync_folder"]


def make_file(path: Path) -> None:
    """Make an empty file, before something that asks for no permissions writes to it."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def make_folder(path: Path) -> None:
    """Make a folder, and those on the way to it: a file is synced, and a new folder that it is in may still be lost."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Have the names of what is in a folder on disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
