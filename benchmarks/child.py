"""Work in a process of its own: where starting, memory and several cores can be seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["run_child"]


def run_child(
    *arguments: str,
    cores: set[int] | None = None,
    limit: float = 600.0,
    prefix: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> tuple[Any, float]:
    """Run this Python with some arguments; return its last line, from JSON, and its CPU seconds.

    ``cores`` are those it may use, where this process keeps to one. ``prefix`` is what runs it:
    valgrind.
    """
    before = os.times()
    done = subprocess.run(
        [*prefix, sys.executable, *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=limit,
        cwd=Path(__file__).parents[1],
        env=os.environ | (environment or {}),
        preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores),
    )
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    lines = done.stdout.strip().splitlines()
    return (json.loads(lines[-1]) if lines else None), spent
