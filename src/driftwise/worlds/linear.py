"""A world whose rewards are linear in a parameter that moves: the base of nearly all worlds here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.validation import require_integer
from ..core.contract.rounds import Rounds
from ..core.randomness.seeds import generator
from .parts.base import BaseWorld
from .parts.blocks import checked_means, checked_path, in_step
from .parts.means import expected_rewards
from .parts.rewards import RewardKind, RewardLaw, reward_law
from .parts.variation import Variation, changes_in, variation_of

__all__ = ["LinearWorld"]


class LinearWorld(BaseWorld):
    r"""A world whose rewards are linear in a parameter that moves.

    In round t = 1..T an action x brings :math:`\langle x, \theta_t \rangle` plus noise. A world
    of your own says how :math:`\theta_t` moves: subclass, and write `path`. If the decision sets
    change too, write `offers` as well. If the expected reward is not the inner product itself but
    follows from it, as a probability does, write `link`.

    Parameters
    ----------
    horizon
        The number of rounds T.
    decision_set
        The (K, d) actions, if they are the same in every round.
    n_arms, dimension
        K and d, instead of ``decision_set``, if the decision sets change; K is the largest.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, or ``"bernoulli"`` for rewards of 0 and 1, whose probabilities are the
        expected rewards.

    Examples
    --------
    >>> class Jump(LinearWorld):
    ...     def path(self, seed, size):
    ...         for t in self.round_numbers(size):
    ...             is_late = t > self.horizon / 2
    ...             yield np.where(is_late[:, None], [0.0, 1.0], [1.0, 0.0])
    >>> world = Jump(horizon=100, decision_set=np.eye(2))
    >>> world
    <Jump: horizon=100, n_arms=2, dimension=2, noise=0.1, rewards='gaussian'>
    >>> round(world.realised_variation().l2, 4)
    1.4142
    >>> [chunk.means.shape for chunk in world.rounds(seed=1, size=60)]
    [(60, 2), (40, 2)]

    Notes
    -----
    Numbers must not depend on ``size``, to the last bit. Draw from ``generator(seed, purpose)``
    in the order of rounds, avoid matrix products, and carry running sums from block to block.
    """

    def __init__(
        self,
        *,
        horizon: int,
        decision_set: ArrayLike | None = None,
        n_arms: int | None = None,
        dimension: int | None = None,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        super().__init__(
            horizon=horizon, decision_set=decision_set, n_arms=n_arms, dimension=dimension
        )
        self._law: RewardLaw = reward_law(rewards, noise)
        self._rewards = rewards

    @abstractmethod
    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds in order: (n, d) blocks with n up to ``size``."""

    def link(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""Return the expected rewards, given the inner products :math:`\langle x, \theta_t \rangle`.

        The inner products themselves, unless a world says otherwise; element by element, and
        never falling, so that the best action is the one with the largest inner product.
        """
        return values

    @property
    def noise(self) -> float:
        """The sub-Gaussian proxy R: the Gaussian's standard deviation; 0.5 for Bernoulli."""
        return self._law.noise

    @property
    def rewards(self) -> RewardKind:
        """The kind of rewards."""
        return self._rewards

    def realised_variation(self, seed: int = 0) -> Variation:
        """Return how far the parameter, and the arm that moves most, moved in total.

        Reads the path in blocks, so that memory does not grow with the horizon.
        """
        link = self.link if self._has_link else None
        return variation_of(self._whole_path(seed), self._decision_set, link)

    def number_of_changes(self, seed: int = 0) -> int:
        """Return how many rounds differ in their parameter from the round before.

        Reads the path in blocks, so that memory does not grow with the horizon.
        """
        return changes_in(self._whole_path(seed))

    @property
    def _has_link(self) -> bool:
        return type(self).link is not LinearWorld.link

    def _rounds(self, seed: int, size: int) -> Iterator[Rounds]:
        random = generator(seed, "noise")
        for actions, sizes, means in self._expectations(seed, size):
            yield Rounds(actions, sizes, means, self._law.draw(means, random))

    def _expectations(
        self, seed: int, size: int
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]]:
        """Yield (actions, sizes, means): all of a world but the noise."""
        path = self._checked_path(seed, size)
        fixed = self._decision_set
        if fixed is None:
            faced = in_step(self._checked_offers(seed, size), path)
        else:
            faced = ((fixed[None].copy(), np.full(1, len(fixed)), block) for block in path)
        done = 0
        for actions, sizes, parameters in faced:
            means = expected_rewards(actions, parameters)
            if self._has_link:
                means = checked_means(self.link(means), means.shape, sizes, done)
            self._law.check(means, done + 1)
            done += len(means)
            yield actions, sizes, means

    def _whole_path(self, seed: int) -> Iterator[NDArray[np.float64]]:
        seed = require_integer("seed", seed, at_least=0)
        return self._checked_path(seed, max(1, 2**18 // self._n_arms))

    def _checked_path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        path = self.path(seed, size)
        return checked_path(path, horizon=self._horizon, dimension=self._dimension, size=size)
