"""Files for pictures: what they may be called, judged before anything is drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path

__all__ = ["require_picture"]

_KINDS = (".png", ".svg")


def require_picture(name: str, target: str | Path) -> Path:
    """Return where to draw to, or raise an error that names the option, the rule and what came."""
    path, got = Path(target), f"got {str(target)!r}"
    if path.suffix.lower() not in _KINDS:
        raise ValueError(f"{name} must end in .png or .svg, {got}")
    try:
        if not path.parent.is_dir():
            raise ValueError(f"{name} must lie in a folder that exists, {got}")
        if path.is_dir():
            raise ValueError(f"{name} must be a file and not a folder, {got}")
        # To ask for permissions is not enough: a disk may be read-only, a name too long. This is how
        # `driftwise.core.files.write` begins.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        raise ValueError(f"{name} must be a file that can be written, {got}") from error
    return path
