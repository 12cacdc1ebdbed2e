"""What runs: versions that are logged, so that a difference between two machines can be explained."""

from __future__ import annotations

import hashlib
import platform
from functools import cache, lru_cache

import msgspec
import numba
import numpy as np

from .. import __version__
from ..core.compiler.elementary import exp, log

__all__ = ["is_foreign", "version_of", "versions"]


@cache
def versions() -> dict[str, str]:
    """Return versions, the machine, and a probe of its arithmetic."""
    return {
        "driftwise": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "msgspec": msgspec.__version__,
        "cpu": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "probe": _probe(),
    }


def is_foreign(told: dict[str, str]) -> bool:
    """Return whether another version of driftwise is told of, which may learn by other rules."""
    return told.get("driftwise", __version__) != __version__


def _probe() -> str:
    """Return a digest of what the rules of policies compute with, over fixed numbers."""
    numbers = [float(np.sqrt(0.001 + i)) for i in range(100)]
    values = [value for x in numbers for value in (exp(-x), log(x), 1.0 / x)]
    return hashlib.sha256(np.array(values).tobytes()).hexdigest()[:16]


@lru_cache(maxsize=1024)  # as many problems as are busy at a time
def version_of(text: str, fingerprint: str) -> str:
    """Return 12 digits for a problem file and the policy in use."""
    return hashlib.sha256(f"{text}\n{fingerprint}".encode()).hexdigest()[:12]
