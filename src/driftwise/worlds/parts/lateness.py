"""Worlds whose rewards come late."""

from __future__ import annotations

import copy
from typing import Self

from numpy.typing import ArrayLike

from ...core.contract.delay import Delay, require_delay

__all__ = ["Lateness"]


class Lateness:
    """What a world says about when its rewards are learnt."""

    delay: int | Delay | None = None  # at once

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

    def _delay_fact(self) -> list[str]:
        return [] if self.delay is None else [f"delay={self.delay!r}"]
