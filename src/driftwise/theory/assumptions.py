"""Whether given decision sets satisfy the paper's assumption, and what holds if they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.validation import require_array, require_fraction, require_integer
from .blocks import block_length
from .bounds import RATES
from .geometry import Geometry
from .windows import window

__all__ = ["AssumptionOne", "Guarantees", "assumption_one", "guarantees"]


class AssumptionOne(NamedTuple):
    """Whether Assumption 1 holds; true or false in a condition, like its field ``holds``."""

    holds: bool
    directions: NDArray[np.float64]  # (m, d): orthonormal; if it fails, those found until then
    witness: tuple[NDArray[np.float64], NDArray[np.float64]] | None  # two actions that violate it

    def __bool__(self) -> bool:
        return self.holds


def assumption_one(
    decision_sets: ArrayLike | Sequence[ArrayLike], *, tolerance: float = 1e-9
) -> AssumptionOne:
    r"""Return whether all actions are multiples of the vectors of one orthonormal basis.

    Assumption 1 asks for an orthonormal basis :math:`\psi_1, \ldots, \psi_d` such that every action
    of every round is :math:`z \psi_i` for some :math:`z` and :math:`i`. That is so if and only if
    any two nonzero actions are parallel or orthogonal; a zero action fits every basis.

    Parameters
    ----------
    decision_sets
        One (K, d) decision set, a (T, K, d) array of them, or a sequence of (K_t, d) arrays.
    tolerance
        The largest sine of an angle that passes for parallel, and cosine that passes for
        orthogonal.

    Notes
    -----
    One action after another is compared with all that are left, and those parallel to it are then
    left out: at most d passes over the data.

    References
    ----------
    Cheung, Simchi-Levi and Zhu, AISTATS 2019, Assumption 1; after Faury, Russac, Abeille and
    Calauzenes, "Regret Bounds for Generalized Linear Bandits under Parameter Drift", 2021.

    Examples
    --------
    >>> assumption_one([[2.0, 0.0], [0.0, -1.0], [0.0, 0.5]]).holds
    True
    >>> price = np.array([1.0, 2.0])
    >>> assumption_one(np.column_stack([price, price**2])).witness
    (array([1., 1.]), array([2., 4.]))
    """
    actions = _actions(decision_sets)
    tolerance = require_fraction("tolerance", tolerance)
    # Scaled by the largest entry first: the squares in a norm of tiny entries would vanish.
    sizes = np.abs(actions).max(axis=1, keepdims=True)
    left = np.flatnonzero(sizes[:, 0])
    units = actions[left] / sizes[left]
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    directions: list[NDArray[np.float64]] = []
    while left.size:
        direction = units[0]
        directions.append(direction)
        cosines = units @ direction
        is_orthogonal = np.abs(cosines) <= tolerance
        others = np.flatnonzero(~is_orthogonal)
        # The sine as the length of the rest: sqrt(1 - cosine^2) would be no better than 1e-8.
        rests = units[others] - cosines[others, np.newaxis] * direction
        is_skew = np.linalg.norm(rests, axis=1) > tolerance
        if is_skew.any():
            witness = (actions[left[0]].copy(), actions[left[others[is_skew.argmax()]]].copy())
            return AssumptionOne(False, np.array(directions), witness)
        left, units = left[is_orthogonal], units[is_orthogonal]
    return AssumptionOne(True, np.reshape(directions, (-1, actions.shape[1])), None)


class Guarantees(NamedTuple):
    """Which rates of ``RATES`` hold for some decision sets, up to constants and logarithms."""

    geometry: Geometry
    sliding_window: str  # the name of SW-UCB's rate, with the window for this geometry
    bandit_over_bandit: str  # the name of BOB's rate, with the block length for this geometry
    sentence: str


def guarantees(
    decision_sets: ArrayLike | Sequence[ArrayLike],
    *,
    horizon: int,
    variation: float | None = None,
    tolerance: float = 1e-9,
) -> Guarantees:
    """Tell which guarantees SW-UCB and BOB have on given decision sets.

    Parameters
    ----------
    decision_sets, tolerance
        As for :func:`assumption_one`. The answer is about these actions: if later rounds bring
        others, ask again.
    horizon
        The number of rounds.
    variation
        The variation budget, ``None`` if it is unknown.

    Examples
    --------
    >>> answer = guarantees(np.eye(2), horizon=30_000, variation=1.0)
    >>> answer.sliding_window, answer.bandit_over_bandit
    ('sliding-window', 'bandit-over-bandit')
    >>> print(guarantees([[1.0, 0.0], [1.0, 1.0]], horizon=30_000).sentence)
    Some actions are neither parallel nor orthogonal, so Assumption 1 fails and the paper's rates
    are not proved; tuned for general decision sets, the regret of SW-UCB with window 205 is of
    order d^(7/8) (B+1) T^(3/4), and that of BOB with blocks of 206 rounds of order
    d^(7/8) (B+1)^(1/4) T^(3/4), up to logarithms.
    """
    finding = assumption_one(decision_sets, tolerance=tolerance)
    geometry: Geometry = "orthogonal" if finding.holds else "general"
    dimension = finding.directions.shape[1]
    horizon = require_integer("horizon", horizon, unit="round")
    remembered = window(
        horizon=horizon, dimension=dimension, variation=variation, geometry=geometry
    )
    ending = "" if finding.holds else "-general"
    sliding_window = f"sliding-window{ending}"
    if variation is None:
        sliding_window += "-unknown"
    elif remembered == horizon:
        # The drift is too small to be worth forgetting, and the rate for a known variation,
        # which would go to zero with it, no longer holds.
        sliding_window = "sliding-window-stationary"
    bandit_over_bandit = f"bandit-over-bandit{ending}"
    reason = (
        f"Every action is a multiple of one of {len(finding.directions)} orthonormal directions, "
        "so Assumption 1 holds;"
        if finding.holds
        else "Some actions are neither parallel nor orthogonal, so Assumption 1 fails and the "
        "paper's rates are not proved; tuned for general decision sets,"
    )
    length = block_length(horizon=horizon, dimension=dimension, geometry=geometry)
    sentence = (
        f"{reason} the regret of SW-UCB with window {remembered} is of order "
        f"{RATES[sliding_window].statement}, and that of BOB with blocks of {length} rounds of "
        f"order {RATES[bandit_over_bandit].statement}, up to logarithms."
    )
    return Guarantees(geometry, sliding_window, bandit_over_bandit, sentence)


def _actions(decision_sets: ArrayLike | Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return all actions of all decision sets as the rows of one array."""
    try:
        stacked = np.asarray(decision_sets, dtype=np.float64)
    except (TypeError, ValueError):
        stacked = None  # sets of different sizes do not stack, and neither does what is no number
    if stacked is not None:
        three = stacked.ndim == 3
        stacked = require_array("decision_sets", stacked, shape=(None,) * (3 if three else 2))
        return stacked.reshape(-1, stacked.shape[-1])
    if isinstance(decision_sets, str) or not isinstance(decision_sets, Sequence):
        return require_array("decision_sets", decision_sets, shape=(None, None))  # always refuses
    sets: list[NDArray[np.float64]] = []
    for index, decision_set in enumerate(decision_sets):
        width = sets[0].shape[1] if sets else None
        sets.append(require_array(f"decision_sets[{index}]", decision_set, shape=(None, width)))
    return np.concatenate(sets)
