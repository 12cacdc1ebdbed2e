"""A policy that counts what is in flight in the simplest way, for tests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftwise.core.base.arrays import Matrix, Vector
from driftwise.core.base.card import Card, described
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice

__all__ = ["FORGETFUL", "HASTY", "NAUGHTY", "SOUND", "TRUSTING", "Deaf", "Fewest"]

SOUND, NAUGHTY, TRUSTING, HASTY, FORGETFUL = range(5)  # what is wrong with it
_PLACES = 64  # more than are ever in flight in these tests


class Flight(NamedTuple):
    lucks: NDArray[np.int64]  # (places,): of decisions in flight; 0 where there is none
    arms: NDArray[np.int64]  # (places,)


class Tallies(NamedTuple):
    counts: Vector  # (K,)
    pending: Flight


@described(Card(source="this test", plays="arms"))
@compilable
class Fewest(NamedTuple):
    """Plays the arm with the fewest rewards and decisions in flight."""

    fault: int = SOUND

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Tallies:
        return Tallies(np.zeros(n_arms), Flight(*np.zeros((2, _PLACES), np.int64)))

    def restart(self, memory: Any, luck: int) -> None:
        for k in range(memory.counts.size):
            memory.counts[k] = 0.0
        for i in range(_PLACES):
            memory.pending.lucks[i] = 0
            memory.pending.arms[i] = 0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        best, least = 0, np.inf
        for k in range(memory.counts.size):
            count = memory.counts[k]
            for i in range(_PLACES):
                if memory.pending.lucks[i] != 0 and memory.pending.arms[i] == k:
                    count += 1.0
            if count < least:
                best, least = k, count
        return Choice(best, 1.0, least)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        memory.counts[choice.arm] += 1.0
        if self.fault == HASTY:
            memory.pending.arms[0] = choice.arm

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        if self.fault == NAUGHTY:
            memory.counts[choice.arm] += 1.0
        if self.fault == FORGETFUL:
            return
        for i in range(_PLACES):
            if memory.pending.lucks[i] == 0:
                memory.pending.lucks[i] = luck
                memory.pending.arms[i] = choice.arm
                return

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        for i in range(_PLACES):
            is_it = memory.pending.lucks[i] == luck
            if self.fault == TRUSTING:
                is_it = memory.pending.arms[i] == choice.arm
            if is_it:
                memory.pending.lucks[i] = 0
                memory.pending.arms[i] = 0
                return


class Counts(NamedTuple):
    counts: Vector  # (K,)


@described(Card(source="this test", plays="arms"))
@compilable
class Deaf(NamedTuple):
    """Plays the arm with the fewest rewards; says that it counts what is in flight, and has no place for it."""

    first: int = 0  # what it begins with

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Counts:
        return Counts(np.zeros(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        for k in range(memory.counts.size):
            memory.counts[k] = 0.0

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        best = self.first
        for k in range(memory.counts.size):
            if memory.counts[k] < memory.counts[best]:
                best = k
        return Choice(best, 1.0, 0.0)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        memory.counts[choice.arm] += 1.0

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        pass

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        pass
