"""What every world says of its rounds: how many, in which order, and when their rewards are learnt."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.card import Card
from ...core.base.validation import require_integer
from ...core.contract.delay import Delay, require_delay

__all__ = ["Timeline"]

Chunk = TypeVar("Chunk")  # some rounds in a row, as arrays


class Timeline(ABC, Generic[Chunk]):
    """So many rounds, one after the other, whose rewards come at once or late."""

    card: ClassVar[Card] = Card(source="", knows="", guarantee="not stated")
    delay: int | Delay | None = None  # at once
    _shown: ClassVar[list[str]] = ["horizon", "n_arms", "dimension", "noise", "rewards"]

    def __init__(self, horizon: int) -> None:
        self._horizon = require_integer("horizon", horizon, unit="round")

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        return self._horizon

    def round_numbers(self, size: int) -> Iterator[NDArray[np.int64]]:
        """Yield the round numbers 1..T in order, at most ``size`` at a time."""
        for first in range(1, self._horizon + 1, size):
            yield np.arange(first, min(first + size, self._horizon + 1), dtype=np.int64)

    def rounds(self, seed: int, size: int) -> Iterator[Chunk]:
        """Yield all rounds in order, at most ``size`` at a time.

        The numbers depend on ``seed`` and, to the last bit, not on ``size``. The arrays belong
        to the caller.
        """
        # Not a generator itself, so that a wrong argument is refused now and not when read.
        return self._rounds(
            require_integer("seed", seed, at_least=0), require_integer("size", size, unit="round")
        )

    @abstractmethod
    def _rounds(self, seed: int, size: int) -> Iterator[Chunk]:
        """Yield what `rounds` promises; the arguments are checked."""

    def with_delay(self, delay: int | Delay | ArrayLike) -> Self:
        """Return the same world, whose rewards come late by a number of rounds or by a law of it.

        For the laws see `driftwise.delays`, for what they do `driftwise.simulate`. Decision sets,
        expected rewards and noise stay the same.

        Examples
        --------
        >>> import driftwise as dw
        >>> dw.worlds.Sinusoid(horizon=1000, variation=1.0).with_delay(dw.delays.Geometric(20))
        <Sinusoid: horizon=1000, ..., delay=Geometric(mean=20.0)>
        """
        late = copy.copy(self)
        late.delay = require_delay(delay)
        return late

    def __repr__(self) -> str:
        shown = dict.fromkeys(self._shown) | dict.fromkeys(inspect.signature(type(self)).parameters)
        facts = ((name, getattr(self, name, None)) for name in shown)
        plain = [f"{name}={fact!r}" for name, fact in facts if isinstance(fact, int | float | str)]
        late = [] if self.delay is None else [f"delay={self.delay!r}"]
        return f"<{type(self).__name__}: {', '.join(plain + late)}>"
