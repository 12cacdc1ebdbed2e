"""How a policy that plays arms forgets: everything so far counts, a window, or a discount."""

from __future__ import annotations

from typing import Any

from ...core.base.arrays import Matrix, Vector
from ...core.models.arms.arm_window import NO_ARM, ArmWindow, admit, arm_window, forget_window
from ...core.models.arms.arms import ArmMemory, arm_memory, forget_arms
from .counting_flight import CountingFlight
from .settings import ByDiscount, ByWindow, Settings

__all__ = ["AllRewards", "Arms", "FadingRewards", "RecentRewards"]


class Arms(Settings):
    """A policy that keeps counts and sums of each arm: the base of every estimator and rule."""

    __slots__ = ()

    def worth(self, reward: float) -> float:
        """Return what a reward counts for in the sums: itself, unless the rule says otherwise."""
        return reward

    def source_in(self, memory: Any) -> str:
        """Return which rewards count, in words; runs in Python only."""
        raise NotImplementedError


class AllRewards(CountingFlight, Arms):
    """Learns from all rewards so far."""

    __slots__ = ()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ArmMemory:
        """Allocate a memory."""
        return arm_memory(n_arms)

    def tick(self, memory: Any) -> None:
        """Do nothing: nothing is forgotten as time passes."""

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        forget_arms(memory)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Count the reward."""
        memory.pending.hear()
        memory.counts[choice.arm] += 1.0
        memory.sums[choice.arm] += self.worth(reward)

    def source_in(self, memory: Any) -> str:
        """Return which rewards count, in words; runs in Python only."""
        return f"All rounds count, of {int(memory.counts.sum())} so far."


class FadingRewards(ByDiscount, AllRewards):
    """Learns from rewards that fade by ``discount`` with every new one."""

    __slots__ = ()

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all rewards fade a little, and the new one in."""
        memory.pending.hear()
        self.tick(memory)
        memory.counts[choice.arm] += 1.0
        memory.sums[choice.arm] += self.worth(reward)

    def tick(self, memory: Any) -> None:
        """Let all rewards fade a little."""
        for arm in range(memory.counts.size):
            memory.counts[arm] *= self.discount
            memory.sums[arm] *= self.discount

    def source_in(self, memory: Any) -> str:
        """Return which rewards count, in words; runs in Python only."""
        return (
            f"As many as {memory.counts.sum():.4g} rounds count, faded by {self.discount:g} each."
        )


class RecentRewards(ByWindow, CountingFlight, Arms):
    """Learns from the last ``window`` rewards; one that comes late enters when it comes."""

    __slots__ = ()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ArmWindow:
        """Allocate a memory."""
        return arm_window(n_arms, self.window)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        forget_window(memory)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the reward into the window."""
        memory.pending.hear()
        admit(memory, choice.arm, self.worth(reward), self.window)

    def tick(self, memory: Any) -> None:
        """Let a round without a reward into the window."""
        admit(memory, NO_ARM, 0.0, self.window)

    def source_in(self, memory: Any) -> str:
        """Return which rewards count, in words; runs in Python only."""
        return f"The last {int(memory.counts.sum())} rounds count, of a window of {self.window}."
