"""Decision sets as users have them: one for all rounds, an array of them, or of many sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_actions
from .blocks import Offer

__all__ = ["collected"]


def collected(decision_sets: Any, horizon: int, dimension: int | None, beside: str) -> Offer:
    """Return copies of all decision sets, padded to one size; a single one if all are equal.

    ``beside`` names the argument that says how many rounds there are.
    """
    if _is_ragged(decision_sets):
        return _padded(decision_sets, horizon, dimension, beside)
    if np.ndim(decision_sets) != 3:
        fixed = require_actions("decision_sets", decision_sets, shape=(None, dimension))
        return fixed[None].copy(), np.full(1, len(fixed))
    sets = require_actions("decision_sets", decision_sets, shape=(None, None, dimension))
    _require_one_per_round(len(sets), horizon, beside)
    if np.array_equal(sets[0], sets[-1]) and (sets == sets[0]).all():
        sets = sets[:1]
    return sets.copy(), np.full(len(sets), sets.shape[1])


def _padded(sets: Sequence[ArrayLike], horizon: int, dimension: int | None, beside: str) -> Offer:
    _require_one_per_round(len(sets), horizon, beside)
    checked: list[NDArray[np.float64]] = []
    for t, one in enumerate(sets):
        width = checked[0].shape[1] if checked else dimension
        checked.append(require_actions(f"decision_sets[{t}]", one, shape=(None, width)))
    sizes = np.array([len(one) for one in checked])
    actions = np.zeros((horizon, sizes.max(), checked[0].shape[1]))
    for padded, one in zip(actions, checked, strict=True):
        padded[: len(one)] = one
    return actions, sizes


def _is_ragged(decision_sets: Any) -> bool:
    if isinstance(decision_sets, np.ndarray) and decision_sets.dtype != object:
        return False
    if not isinstance(decision_sets, Sequence | np.ndarray):
        return False
    return len({_shape(one) for one in decision_sets}) > 1


def _shape(value: ArrayLike) -> tuple[int, ...]:
    try:
        return np.shape(value)
    except ValueError:  # rows of different lengths; the check of each set will say so
        return ()


def _require_one_per_round(n_sets: int, horizon: int, beside: str) -> None:
    if n_sets != horizon:
        raise RuleValueError(
            "decision_sets",
            f"hold one set for each of the {horizon} rounds of {beside}",
            n_sets,
        )
