"""The command line: parse, call, print. What is heavy is imported by the command that needs it."""

from __future__ import annotations

from . import commands  # each registers itself
from .app import app
from .running import run

__all__ = ["app", "commands", "run"]
