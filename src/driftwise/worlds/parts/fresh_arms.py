"""Decision sets redrawn in every round, uniformly in a box and no longer than 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...core.randomness.seeds import generator
from .blocks import Offer
from .norms import within_unit_ball

__all__ = ["fresh_arms"]


def fresh_arms(
    rounds: Iterable[NDArray[np.int64]], *, seed: int, n_arms: int, dimension: int
) -> Iterator[Offer]:
    """Yield decision sets whose actions are uniform in [-1, 1]^d, scaled to norm 1 if longer."""
    random = generator(seed, "decision sets")
    for t in rounds:
        actions = within_unit_ball(random.uniform(-1.0, 1.0, (len(t), n_arms, dimension)))
        yield actions, np.full(len(t), n_arms)
