"""Where and with what it was measured: what a reader needs to judge a number."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from .floor import COMMAND, compiler

__all__ = ["describe", "processor"]

_PACKAGES = ("driftwise", "numpy", "numba", "llvmlite")


def describe(cores: set[int]) -> dict[str, str]:
    """Return facts by name; nothing that tells one machine of a kind from another."""
    facts = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "processor": f"{processor()}, {len(cores)} cores, one used unless a line says otherwise",
        "load": f"{os.getloadavg()[1]:.1f} processes wanted to run, on average of 5 minutes, at the end",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
    }
    facts |= {name: metadata.version(name) for name in _PACKAGES}
    if compiler() is not None:
        answer = subprocess.run(
            [COMMAND[0], "-dumpfullversion"], capture_output=True, text=True, check=True
        )
        facts["C floor"] = f"{' '.join(COMMAND)}, version {answer.stdout.strip()}"
    return facts


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
