"""A world made of a person's own records: what was offered, and what each action would have brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.validation import LARGEST_REWARD, require_array, require_integer, require_number
from ..core.contract.rounds import Rounds
from .parts.base import BaseWorld
from .parts.blocks import Offer
from .parts.collecting import collected
from .parts.records_file import read_records
from .parts.variation import Variation, changes_in, variation_of

__all__ = ["Recorded"]


class Recorded(BaseWorld):
    r"""A world of your own records: decision sets, and what every action would have brought.

    Nothing is drawn: all seeds give the same rounds. No parameter is assumed, so that rewards need
    not be linear in the actions.

    Parameters
    ----------
    decision_sets
        (K, d) if all rounds have the same actions; otherwise (T, K, d), or a sequence of T
        arrays (K_t, d) whose number of rows may differ.
    rewards
        (T, K), or a sequence of T arrays (K_t,): the reward of every action of every round, also
        of those that nobody chose.
    means
        The same for the expected rewards, by which regret is measured; ``rewards`` by default.
    noise
        The sub-Gaussian proxy R that policies may be told. If left out, half of the range of
        ``rewards`` minus ``means``, or of ``rewards`` if there are no means: by Hoeffding's lemma
        what lies in [a, b] is (b - a) / 2-sub-Gaussian.

    Notes
    -----
    Records of what one policy chose, and of its rewards only, are not enough: the rewards of the
    other actions are needed. Where ``means`` are left out, regret is measured against the best
    recorded reward of each round, noise and all, which no policy can reach. The variation is then
    unknown: noise from round to round would count as drift, so that policies which are tuned to
    the facts of the world are told none. If rewards have no noise, give them as ``means`` as well.

    Coordinates of actions may not exceed 1e30 in magnitude, rewards 1e100: what an agent takes.

    The arrays are copied: later edits change nothing. If all rounds have equal decision sets, the
    world counts as one with a fixed `decision_set`.

    Examples
    --------
    >>> world = Recorded(
    ...     decision_sets=[[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]],
    ...     rewards=[[0.3, 0.6], [0.5], [0.2, 0.9]],
    ... )
    >>> world
    <Recorded: horizon=3, n_arms=2, dimension=2, noise=0.35>
    >>> (chunk,) = world.rounds(seed=0, size=3)
    >>> chunk.sizes.tolist(), chunk.rewards.tolist()
    ([2, 1, 2], [[0.3, 0.6], [0.5, 0.0], [0.2, 0.9]])
    """

    card: ClassVar[Card] = Card(
        source="your own records",
        knows="",
        guarantee="Assumption 1 holds if every action is a multiple of one vector of a fixed "
        "orthonormal basis; rewards need not be linear",
    )

    def __init__(
        self,
        *,
        decision_sets: ArrayLike | Sequence[ArrayLike],
        rewards: ArrayLike | Sequence[ArrayLike],
        means: ArrayLike | Sequence[ArrayLike] | None = None,
        noise: float | None = None,
    ) -> None:
        horizon = _length("rewards", rewards)
        self._actions, self._sizes = collected(decision_sets, horizon, None, "rewards")
        n_arms, dimension = self._actions.shape[1:]
        if len(self._actions) == 1:
            super().__init__(horizon=horizon, decision_set=self._actions[0])
        else:
            super().__init__(horizon=horizon, n_arms=n_arms, dimension=dimension)
        sizes = np.broadcast_to(self._sizes, horizon)
        is_real = np.arange(n_arms) < sizes[:, None]
        self._rewards = _beside("rewards", rewards, is_real)
        self._has_means = means is not None
        self._means = self._rewards if means is None else _beside("means", means, is_real)
        if noise is None:
            unexplained = self._rewards if means is None else self._rewards - self._means
            self._noise = float(np.ptp(unexplained[is_real])) / 2.0
        else:
            self._noise = require_number("noise", noise, at_least=0.0)

    @classmethod
    def from_file(cls, path: str | Path, *, noise: float | None = None) -> Recorded:
        r"""Read the records from a CSV or Parquet file; this needs polars.

        One row for each action of each round, with the columns

        - ``round``: 1, 2, 3, ...; the rows of a round stand together, and rounds are in order;
        - ``x0``, ``x1``, ...: the features of the action;
        - ``reward``: what the action brought, or would have brought;
        - ``mean``, if known: the expected reward.

        The order of columns does not matter, and there must be no others. A CSV file begins with
        a line of column names.

        Parameters
        ----------
        path
            A file that ends in ``.csv`` or ``.parquet``.
        noise
            As for the class.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "log.csv")
        ...     written = path.write_text("round,x0,x1,reward\n1,1,0,0.3\n1,0,1,0.6\n2,1,1,0.5\n")
        ...     world = Recorded.from_file(path)
        >>> world.horizon, world.n_arms, world.dimension
        (2, 2, 2)
        """
        decision_sets, rewards, means = read_records(Path(path))
        return cls(decision_sets=decision_sets, rewards=rewards, means=means, noise=noise)

    @property
    def noise(self) -> float:
        """The sub-Gaussian proxy R that policies may be told."""
        return self._noise

    @property
    def action_norm(self) -> float:
        """The length of the longest action: the bound L that policies may be told."""
        return float(np.linalg.norm(self._actions, axis=2).max())

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield the decision sets of all rounds; they do not depend on ``seed``."""
        for first in range(0, self.horizon, size):
            yield self._actions[first : first + size], self._sizes[first : first + size]

    def realised_variation(self, seed: int = 0) -> Variation:
        """Return how far the arm that moves most moved in total, if the decision set is fixed.

        There is no parameter to follow, so the first number, ``l2``, is not a number unless the
        actions are the basis vectors: then the expected rewards are the parameter. Without means
        neither is known, since most of what could be measured is noise.
        """
        require_integer("seed", seed, at_least=0)
        if self._decision_set is None or not self._has_means:
            return Variation(np.nan, None)
        moved = variation_of([self._means], np.eye(self.n_arms))
        is_basis = np.array_equal(self._decision_set, np.eye(self.n_arms, self.dimension))
        return moved if is_basis else Variation(np.nan, moved.arms)

    def number_of_changes(self, seed: int = 0) -> int:
        """Return how many rounds have the decision set of the round before and other means.

        Other rewards, if there are no means: a count of noise more than of changes.
        """
        require_integer("seed", seed, at_least=0)
        if self._decision_set is not None:
            return changes_in([self._means])
        is_same_set = (self._actions[1:] == self._actions[:-1]).all(axis=(1, 2))
        is_same_set &= self._sizes[1:] == self._sizes[:-1]
        has_other_means = (self._means[1:] != self._means[:-1]).any(axis=1)
        return int((is_same_set & has_other_means).sum())

    def _rounds(self, seed: int, size: int) -> Iterator[Rounds]:
        for first in range(0, self.horizon, size):
            now = slice(first, first + size)
            sets = slice(None) if self._decision_set is not None else now
            # Copies: the arrays belong to the caller.
            yield Rounds(
                self._actions[sets].copy(),
                self._sizes[sets].copy(),
                self._means[now].copy(),
                self._rewards[now].copy(),
            )


def _length(name: str, values: Any) -> int:
    try:
        return len(values)
    except TypeError:
        raise RuleTypeError(name, "be an array of numbers", values, type(values).__name__) from None


def _beside(name: str, values: Any, is_real: NDArray[np.bool]) -> NDArray[np.float64]:
    """Return a copy of one number per action as (T, K), with zeros as padding."""
    if is_real.all():
        return require_array(name, values, shape=is_real.shape, largest=LARGEST_REWARD).copy()
    if len(values) != len(is_real):
        raise RuleValueError(name, f"hold {len(is_real)} rounds, as rewards do", len(values))
    padded = np.zeros(is_real.shape)
    for t, (row, size) in enumerate(zip(values, is_real.sum(axis=1), strict=True)):
        padded[t, :size] = require_array(
            f"{name}[{t}]", row, shape=(int(size),), largest=LARGEST_REWARD
        )
    return padded
