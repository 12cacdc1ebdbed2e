"""Files for pictures: what they may be called, judged before anything is drawn."""

from __future__ import annotations

from pathlib import Path

from .targets import require_file

__all__ = ["require_picture"]

_KINDS = (".png", ".svg")


def require_picture(name: str, target: str | Path) -> Path:
    """Return where to draw to, or raise an error that names the option, the rule and what came."""
    path = Path(target)
    if path.suffix.lower() not in _KINDS:
        raise ValueError(f"{name} must end in .png or .svg, got {str(target)!r}")
    return require_file(name, path)
