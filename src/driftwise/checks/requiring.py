"""How a check says no."""

from __future__ import annotations

from typing import Any

__all__ = ["require"]


def require(is_so: Any, message: str) -> None:
    """Raise as ``assert`` does, which ``python -O`` leaves out."""
    if not is_so:
        raise AssertionError(message)
