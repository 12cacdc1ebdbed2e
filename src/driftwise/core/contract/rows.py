"""Whether a policy has chosen a row that is there.

Compiled code looks up whatever it is told to: without this, a row that is not there is read from
other memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

__all__ = ["NoSuchArmError", "is_row", "no_such_arm"]


class NoSuchArmError(ValueError):
    """A policy has chosen a row that the decision set does not have."""


def is_row(arm: int, n_arms: int) -> bool:
    """Return whether there is such a row: one comparison in compiled code."""
    return 0 <= arm < n_arms


def no_such_arm(policy: Any, arm: int, n_arms: int, round_: int) -> NoSuchArmError:
    """Return the error to raise; rounds are counted from 1."""
    return NoSuchArmError(
        f"{type(policy).__name__} must choose one of {n_arms} arms, 0 to {n_arms - 1}, "
        f"got arm {arm} in round {round_}"
    )


@overload(is_row)
def _is_row(arm, n_arms):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    # Without its sign, a negative number is larger than any number of arms.
    return lambda arm, n_arms: np.uint64(arm) < np.uint64(n_arms)
