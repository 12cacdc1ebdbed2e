"""A policy of your own, complete: plays the best arm so far, and now and then any arm."""

from typing import Any, NamedTuple

import numpy as np

from driftwise.extend import Card, Choice, Vector, compilable, described, draws, require_fraction


class Means(NamedTuple):
    """What `MyPolicy` has learnt."""

    means: Vector  # (K,), a running mean per arm


@described(Card(source="an example", cost="K", plays="arms"))
@compilable
class MyPolicy(NamedTuple):
    """Plays the best arm so far, and now and then any arm."""

    exploration: float = 0.1  # probability of playing any arm
    step: float = 0.05  # weight of the newest reward

    def _check(self) -> None:  # runs whenever Python makes one
        require_fraction("exploration", self.exploration, inclusive=True)
        require_fraction("step", self.step, inclusive=True)

    def start(self, n_arms: int, dimension: int, fixed: Any) -> Means:
        """Allocate a memory; all that follows runs interpreted and compiled."""
        return Means(np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.means[:] = 0.0

    def choose(self, memory: Any, actions: Any, luck: int) -> Choice:
        """Choose, and write nothing."""
        n_arms, best = memory.means.size, 0
        for arm in range(1, n_arms):
            if memory.means[arm] > memory.means[best]:
                best = arm
        arm = best
        if draws.uniform(luck, 0) < self.exploration:
            arm = int(draws.uniform(luck, 1) * n_arms)
        chance = self.exploration / n_arms + (1.0 - self.exploration if arm == best else 0.0)
        return Choice(arm, chance, memory.means[arm])

    def learn(self, memory: Any, action: Any, choice: Any, reward: float, luck: int) -> None:
        """Learn from a reward of now or of long ago."""
        memory.means[choice.arm] += self.step * (reward - memory.means[choice.arm])
