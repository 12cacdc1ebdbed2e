"""A throw-away environment for each peer: made once, kept until its pins change."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["CannotInstallError", "environment"]

_FOLDER = Path(__file__).parents[2] / ".venv-peers"
_LIMIT = 900.0  # seconds for an installation


class CannotInstallError(Exception):
    """A peer could not be installed; the message says why, in a line."""


def environment(name: str, install: list[str], python: str | None) -> Path:
    """Return the Python of the environment that has these packages, installing them if need be."""
    folder = _FOLDER / name
    stamp, pins = folder / "installed.txt", "\n".join(install)
    executable = folder / "bin" / "python"
    if stamp.exists() and stamp.read_text("utf-8") == pins:
        return executable
    interpreter = sys.executable if python is None else _interpreter(python)
    if folder.exists():
        shutil.rmtree(folder)
    _run([interpreter, "-m", "venv", str(folder)])
    _run([str(executable), "-m", "pip", "--disable-pip-version-check", "install", *install])
    stamp.write_text(pins, "utf-8")
    return executable


def _interpreter(version: str) -> str:
    name = f"python{version}"
    path = shutil.which(name)
    # Some tools put a name on the path that only says that there is no such Python.
    if (
        path is None
        or subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode
    ):
        raise CannotInstallError(f"it needs {name}, which is not on the path")
    return path


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        raise CannotInstallError(f"not installed within {_LIMIT:.0f} s") from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.startswith("ERROR")]
        raise CannotInstallError((lines or ["pip failed"])[-1].removeprefix("ERROR: ")) from None
