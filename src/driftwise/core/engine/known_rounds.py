"""The rounds of a world, made known to the compiler: worlds import none, and two loops play them."""

from __future__ import annotations

from ..compiler.compiled import called, compilable
from ..contract.rounds import BallRounds, Rounds, largest

__all__ = ["BallRounds", "Rounds"]

compilable(Rounds)
compilable(BallRounds)
called(largest)  # two arms need no loop, and one that is there takes registers from the rest
