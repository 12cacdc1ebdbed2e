"""Worlds: where actions, expected rewards and noise come from. Plain NumPy, one drift per file."""

from __future__ import annotations

from .linear import LinearWorld
from .lower_bound import LowerBound
from .sinusoid import Sinusoid
from .stationary import Stationary
from .variation import Variation
from .world import World

__all__ = ["LinearWorld", "LowerBound", "Sinusoid", "Stationary", "Variation", "World"]
