"""Decisions whose rewards are late, in a memory that counts rewards by arm."""

from __future__ import annotations

from typing import Any

from ...core.base.arrays import Vector
from ...core.models.arms.arms import PER_ARM
from .settings import Settings

__all__ = ["CountingFlight"]


class CountingFlight(Settings):
    """Is as sure of an arm with a decision in flight as if its reward had come."""

    __slots__ = ()

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision whose reward is late."""
        memory.pending.take_off(PER_ARM, action, choice.arm, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count it no more."""
        memory.pending.land(PER_ARM, luck)
