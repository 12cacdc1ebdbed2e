"""What the compiler cannot prove and may rely on. Interpreted, these functions do nothing."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

__all__ = ["natural"]


def natural(i: int) -> int:
    """Return ``i``, an index that is not negative; for use as an index only.

    Python counts negative indices from the end, so compiled code looks at the sign of every index
    that it does not know. In a rule of a dozen additions that is a third of the work.
    """
    return i


@overload(natural)
def _natural(i):  # type: ignore[no-untyped-def]  # the compiler calls it with types
    # With a signed number an unsigned one makes a float, hence "as an index only".
    return lambda i: np.uint64(i)
