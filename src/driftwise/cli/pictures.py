"""Files for pictures: what they may be called, judged before anything is drawn."""

from __future__ import annotations

from pathlib import Path

__all__ = ["require_picture"]

_KINDS = (".png", ".svg")


def require_picture(name: str, target: Path) -> Path:
    """Return where to draw to, or raise an error that names the option and the rule."""
    if target.suffix.lower() not in _KINDS:
        raise ValueError(f"{name} must end in .png or .svg, got {target}")
    if not target.parent.is_dir():
        raise ValueError(f"{name} must lie in a folder that exists, got {target}")
    return target
