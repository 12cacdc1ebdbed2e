"""What an agent is offered: decision sets that change, one that does not, arms, or the unit ball."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Matrix, Vector
from ..base.validation import floats_in, require_actions, require_integer
from ..linalg.unit_rows import unit_rows
from .blocks import Blocked
from .unit_ball import UnitBall

__all__ = ["Offers"]


class Offers:
    """What may be offered; one of the three is given, as to `driftwise.Agent`."""

    __slots__ = ("_content", "_first", "_step", "fixed", "n_arms", "shape")

    def __init__(
        self,
        *,
        dimension: int | None = None,
        n_arms: int | None = None,
        decision_set: ArrayLike | UnitBall | None = None,
    ) -> None:
        n_given = sum(value is not None for value in (dimension, n_arms, decision_set))
        if n_given != 1:
            raise TypeError(
                f"exactly one of dimension, n_arms and decision_set must be given, got {n_given}"
            )
        self.n_arms: int | None = None  # of arms without features
        self.fixed: Matrix | UnitBall | None = None
        self.shape: tuple[int, ...]  # arms, 0 for any number, and dimension
        if n_arms is not None:
            self.n_arms = require_integer("n_arms", n_arms)
            self.fixed, self.shape = unit_rows(self.n_arms), (self.n_arms, self.n_arms)
        elif isinstance(decision_set, UnitBall):
            self.fixed, self.shape = decision_set, (1, decision_set.dimension)
        elif decision_set is not None:
            self.fixed = np.array(require_actions("decision_set", decision_set, shape=(None, None)))
            self.shape = self.fixed.shape
        else:
            is_blocked = isinstance(dimension, Blocked)
            self.shape = (0, dimension if is_blocked else require_integer("dimension", dimension))  # type: ignore[assignment]  # an int
        # The bytes of all rows, where row 0 begins, and how far on the next one does.
        self._content, self._first, self._step = b"", 0, 0
        if isinstance(self.fixed, np.ndarray):
            self._step = self.fixed.strides[0]
            if self._step > 0:
                self._content = self.fixed.tobytes()
            else:  # of arms, each row begins one place before the last
                self._content = np.concatenate([self.fixed[-1], self.fixed[0, 1:]]).tobytes()
                self._first = -self._step * (self.shape[0] - 1)

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows of arms are a view that NumPy would write as K^2 numbers.
        return _offers, (self.arguments(),)

    def arguments(self) -> dict[str, Any]:
        """Return what the same offers are made with."""
        if self.n_arms is not None:
            return {"n_arms": self.n_arms}
        if self.fixed is not None:
            return {"decision_set": self.fixed}
        return {"dimension": self.shape[1]}

    def longest(self) -> float:
        """Return the length of the longest row that is known in advance, 0 if none is."""
        if self.n_arms is not None or not isinstance(self.fixed, np.ndarray):
            return 0.0 if self.n_arms is None else 1.0
        return float(np.linalg.norm(self.fixed, axis=1).max())

    def is_row(self, action: Vector, arm: int) -> bool:
        """Return whether an action is what an arm plays, as far as that is known in advance."""
        if not self._content:
            return True
        # Bytes are compared in a fraction of the time; but a zero may have another sign.
        is_same = self._content.startswith(action.tobytes(), self._first + self._step * arm)
        return is_same or np.array_equal(action, self.fixed[arm])  # type: ignore[index]  # has rows

    def placed(self, action: ArrayLike | int) -> tuple[int, Vector]:
        """Return the arm and the row of an action that was chosen elsewhere, or say why it is none.

        An integer is an arm, where the decision set never changes.
        """
        n_arms, dimension = self.shape
        rows = self.fixed if isinstance(self.fixed, np.ndarray) else None
        if isinstance(action, int | np.integer) and not isinstance(action, bool):
            if rows is None:
                raise ValueError(f"action must be a row of {dimension} numbers, got {action}")
            if not 0 <= action < n_arms:
                raise ValueError(f"action must be an arm in [0, {n_arms}), got {action}")
            return int(action), np.array(rows[action])
        row = np.array(require_actions("action", action, shape=(dimension,)))
        if rows is None:
            return 0, row
        equal = np.flatnonzero(np.all(rows == row, axis=1))
        if not equal.size:
            raise ValueError(f"action must be a row of the decision set, got {row!r}")
        return int(equal[0]), row

    def rows(self, decision_set: ArrayLike | UnitBall | None) -> Matrix:
        """Return the rows to choose from, or say why this decision set cannot be one of these."""
        if isinstance(self.fixed, UnitBall):
            is_another = not isinstance(decision_set, UnitBall) or decision_set != self.fixed
            if decision_set is not None and is_another:
                raise ValueError("decision_set must be the one given at the start, got another")
            return np.zeros((1, self.fixed.dimension))  # for the policy to fill in
        if decision_set is None:
            if self.fixed is None:
                raise ValueError("decision_set must be given, since it may change; got None")
            return self.fixed
        try:
            rows = floats_in(decision_set)
            shape: tuple[int, ...] = rows.shape
        except (TypeError, ValueError, OverflowError):
            shape = ()
        if len(shape) != 2 or (self.fixed is None and shape[1] != self.shape[1]):
            n_arms, dimension = self.shape
            return require_actions("decision_set", decision_set, shape=(n_arms or None, dimension))
        if shape[0] == 0:
            raise ValueError("decision_set must have at least one action, got none")
        if self.fixed is None:
            return rows
        # What a memory keeps per arm was computed from the decision set of the start.
        if not np.array_equal(rows, self.fixed):
            raise ValueError(
                "decision_set must be the one given at the start, or left out, got another"
            )
        return self.fixed


def _offers(arguments: dict[str, Any]) -> Offers:
    return Offers(**arguments)
