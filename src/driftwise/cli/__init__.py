"""The command line: parse, call, print. What is heavy is imported by the command that needs it."""

from __future__ import annotations

from .commands import app
from .running import run

__all__ = ["app", "run"]
