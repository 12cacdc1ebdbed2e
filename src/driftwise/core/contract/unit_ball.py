"""The unit ball as a decision set: every point of it may be played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..base.validation import require_integer

__all__ = ["NoRowsError", "UnitBall"]


class NoRowsError(TypeError):
    """The decision set has no rows, and rows were asked for."""


@dataclass(frozen=True)
class UnitBall:
    r"""All actions of length up to 1, :math:`\{x : \|x\|_2 \le 1\}`.

    It takes the place of a (K, d) array of actions: ``Agent(policy, decision_set=UnitBall(3))``, or as
    the ``decision_set`` of a world. A policy is then offered one row, and fills it in with the point
    that it plays, which is arm 0. Policies that can do that say so on their card, the others are
    refused.

    Parameters
    ----------
    dimension
        The length of an action.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.LinUCB(noise=0.1), decision_set=UnitBall(2), is_interpreted=True)
    >>> parameter = np.array([0.3, 0.4])
    >>> for _ in range(100):
    ...     decision = agent.choose()
    ...     agent.learn(decision, decision.action @ parameter)
    >>> bool(decision.action @ parameter > 0.47)  # 0.5 is the best
    True
    """

    dimension: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", require_integer("dimension", self.dimension))

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # NumPy would make an array of one object of it, and fail later, somewhere else.
        raise NoRowsError(f"decision_set must have rows to be used as an array, got {self!r}")
