"""What all worlds here share: a horizon, decision sets, and a few questions that anyone may ask."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.base.errors import RuleTypeError, RuleValueError
from ...core.base.validation import require_actions, require_integer
from ...core.contract.rounds import Rounds
from ...theory.assumptions import assumption_one
from .blocks import Offer, checked_offers
from .timeline import Timeline
from .variation import Variation

__all__ = ["BaseWorld"]


class BaseWorld(Timeline[Rounds]):
    """A world that offers decision sets, the same in every round or not.

    Parameters
    ----------
    horizon
        The number of rounds T.
    decision_set
        The (K, d) actions, if they are the same in every round.
    n_arms, dimension
        K and d, instead of ``decision_set``, if the decision sets change; K is the largest.
    """

    def __init__(
        self,
        *,
        horizon: int,
        decision_set: ArrayLike | None = None,
        n_arms: int | None = None,
        dimension: int | None = None,
    ) -> None:
        super().__init__(horizon)
        self._decision_set: NDArray[np.float64] | None = None
        if decision_set is not None:
            if n_arms is not None or dimension is not None:
                raise ValueError(
                    "n_arms and dimension must be left out when decision_set is given, "
                    f"got {n_arms} and {dimension}"
                )
            # A copy: later edits by the caller must not reach the world.
            fixed = require_actions("decision_set", decision_set, shape=(None, None)).copy()
            self._decision_set = fixed
            self._n_arms, self._dimension = len(fixed), len(fixed[0])
        elif n_arms is None or dimension is None:
            raise RuleValueError(
                "decision_set",
                "be given, or both n_arms and dimension if it changes",
                n_arms,
                f"n_arms {n_arms} and dimension {dimension}",
            )
        else:
            self._n_arms = require_integer("n_arms", n_arms)
            self._dimension = require_integer("dimension", dimension)
            if type(self).offers is BaseWorld.offers:
                raise RuleTypeError(
                    "decision_set", "be given to a world that does not define offers", None
                )

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield the decision sets of all rounds in order, where they change.

        Each block is a pair: actions (n, K, d), and sizes (n,), the number of real rows of each
        decision set. What stands below them is padding, and never played. A world that was given
        a fixed ``decision_set`` is not asked.
        """
        raise NotImplementedError(f"the decision set of {type(self).__name__} never changes")

    @property
    def dimension(self) -> int:
        """The length of an action."""
        return self._dimension

    @property
    def n_arms(self) -> int:
        """The largest number of rows of a decision set."""
        return self._n_arms

    @property
    def decision_set(self) -> NDArray[np.float64] | None:
        """The (K, d) decision set, read-only, if it never changes; otherwise None."""
        if self._decision_set is None:
            return None
        view = self._decision_set.view()
        view.flags.writeable = False
        return view

    @property
    @abstractmethod
    def noise(self) -> float:
        """The sub-Gaussian proxy R of the noise."""

    @abstractmethod
    def realised_variation(self, seed: int = 0) -> Variation:
        """Return how far the parameter, and the arm that moves most, moved in total."""

    @abstractmethod
    def number_of_changes(self, seed: int = 0) -> int:
        """Return how many rounds differ in their parameter from the round before."""

    def satisfies_assumption_one(self, seed: int = 0, *, rounds: int = 1000) -> bool:
        """Return whether all actions are multiples of the vectors of one orthonormal basis.

        A fixed decision set settles it. Where decision sets change, the actions of the
        first ``rounds`` rounds are looked at: false is then certain, true is about these rounds.
        See `driftwise.theory.assumption_one`.
        """
        seed = require_integer("seed", seed, at_least=0)
        most = min(self._horizon, require_integer("rounds", rounds, unit="round"))
        if self._decision_set is not None:
            return assumption_one(self._decision_set).holds
        found, count = [], 0
        for actions, sizes in self._checked_offers(seed, most):
            found.append(actions[np.arange(self._n_arms) < sizes[:, None]])
            count += len(sizes)
            if count >= most:
                break
        return assumption_one(np.concatenate(found)).holds

    def _checked_offers(self, seed: int, size: int) -> Iterator[Offer]:
        return checked_offers(
            self.offers(seed, size),
            horizon=self._horizon,
            n_arms=self._n_arms,
            dimension=self._dimension,
            size=size,
        )
