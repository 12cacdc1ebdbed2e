"""One seed of all randomness, and children of it named by what they are for."""

from __future__ import annotations

import hashlib

import numpy as np

from ..base.validation import require_integer

__all__ = ["generator", "luck_of", "named_seed"]


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Return the random numbers that ``seed`` holds for one purpose.

    Purposes do not disturb each other: a world may draw more noise without moving its
    parameters.

    Examples
    --------
    >>> float(generator(0, "noise").random()) == float(generator(0, "noise").random())
    True
    """
    return np.random.default_rng(_child(seed, purpose))


def luck_of(seed: int) -> int:
    """Return the integer in [0, 2**63) from which all luck of a run or an agent is forked."""
    return named_seed(seed, "luck")


def named_seed(seed: int, name: str) -> int:
    """Return a seed that depends on nothing but ``seed`` and ``name``; it fits 63 bits."""
    return int(_child(seed, name).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _child(seed: int, name: str) -> np.random.SeedSequence:
    seed = require_integer("seed", seed, at_least=0)
    # 128 bits of a digest: no two of a million names meet, and none depends on the others.
    key = np.frombuffer(hashlib.sha256(name.encode()).digest()[:16], dtype="<u4")
    return np.random.SeedSequence(seed, spawn_key=tuple(key.tolist()))
