"""Output files, checked before any work."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..core.base.files import DRAFT

__all__ = ["require_file", "require_picture"]

_PICTURES = (".png", ".svg")


def require_file(name: str, path: Path) -> Path:
    """Return where to write to, or raise an error that names the option, the rule and what came."""
    got = f"got {str(path)!r}"
    try:
        if not path.parent.is_dir():
            raise ValueError(f"{name} must lie in a folder that exists, {got}")
        if path.is_dir():
            raise ValueError(f"{name} must be a file and not a folder, {got}")
        if path.exists() and not path.is_file():  # a pipe or a device
            return path
        # To ask for permissions is not enough: a disk may be read-only, a name too long. This is how
        # `driftwise.core.base.files.write` begins.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=DRAFT):
            pass
    except OSError as error:
        raise ValueError(f"{name} must be a file that can be written, {got}") from error
    return path


def require_picture(name: str, target: str | Path) -> Path:
    """Return where to draw to, or raise an error that names the option, the rule and what came."""
    path = Path(target)
    if path.suffix.lower() not in _PICTURES:
        raise ValueError(f"{name} must end in .png or .svg, got {str(target)!r}")
    return require_file(name, path)
