"""What this installation has, and what is missing for which feature, as plain data."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement

from .. import __version__

__all__ = ["diagnose"]

# What each extra is for; what it brings is in the metadata of the package.
_PURPOSES = {
    "experiments": "experiments, tables and pictures",
    "dask": "driftwise run --backend dask",
    "ray": "driftwise run --backend ray",
}
_FOR_DEVELOPERS = ("test", "dev")


def diagnose() -> dict[str, Any]:
    """Return versions, the cache folder, compiled policies, processors and features."""
    from ..core.compiler.kept import kept
    from ..core.compiler.machine_code import folder
    from ..experiments.setup.warming import is_compiled
    from ..registry import all_policies

    n_files, n_bytes = kept()
    return {
        "version": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": platform.platform(),
        "cores": _cores(),
        "packages": {name: _version(name) for name in ("numpy", "numba", "llvmlite")},
        "cache": {
            "folder": None if folder() is None else str(folder()),
            "files": n_files,
            "bytes": n_bytes,
            "compiled": [name for name in all_policies() if is_compiled(name)],
        },
        "features": [_feature(extra) for extra in _extras()],
    }


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _extras() -> list[str]:
    try:
        given = metadata.metadata("driftwise").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:  # run from its sources, without being installed
        return []
    return [extra for extra in given if extra not in _FOR_DEVELOPERS]


def _feature(extra: str) -> dict[str, Any]:
    """Return which packages of an extra are missing, or too old."""
    missing = []
    for requirement in map(Requirement, metadata.requires("driftwise") or []):
        is_asked = requirement.marker is not None and requirement.marker.evaluate({"extra": extra})
        found = _version(requirement.name) if is_asked else None
        if is_asked and not (found and requirement.specifier.contains(found, prereleases=True)):
            missing.append(f"{requirement.name}{requirement.specifier}")
    return {
        "extra": extra,
        "purpose": _PURPOSES.get(extra, extra),
        "missing": missing,
        "remedy": f"pip install 'driftwise[{extra}]'" if missing else None,
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
