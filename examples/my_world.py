"""A world of your own, complete: two arms that change places half-way."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import driftwise as dw


class MyWorld(dw.worlds.LinearWorld):
    """Two arms that change places half-way."""

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds in order, at most ``size`` at a time."""
        for t in self.round_numbers(size):
            is_late = t > self.horizon / 2
            yield np.where(is_late[:, None], [0.2, 0.8], [0.8, 0.2])


if __name__ == "__main__":
    world = MyWorld(horizon=30_000, decision_set=np.eye(2), noise=0.1)
    policy = dw.SlidingWindowUCB.tuned(horizon=30_000, dimension=2, variation=0.85, noise=0.1)
    print(f"the parameter moves by {world.realised_variation().l2:.2f} in all")
    print(f"regret after 30,000 rounds: {dw.simulate(policy, world).total_regret:.0f}")
