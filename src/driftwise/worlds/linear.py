"""A world whose rewards are linear in a parameter that moves: the base of all worlds here."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.card import Card
from ..core.rounds import Rounds
from ..core.seeds import generator
from ..core.validation import require_array, require_integer
from .blocks import Offer, checked_offers, checked_path, in_step
from .means import expected_rewards
from .rewards import RewardKind, reward_law
from .variation import Variation, variation_of

__all__ = ["LinearWorld"]


class LinearWorld(ABC):
    r"""A world whose rewards are linear in a parameter that moves.

    In round t = 1..T an action x brings :math:`\langle x, \theta_t \rangle` plus noise. A world
    of your own says how :math:`\theta_t` moves: subclass, and write `path`. If the decision sets
    change too, write `offers` as well.

    Parameters
    ----------
    horizon
        The number of rounds T.
    decision_set
        The (K, d) actions, if they are the same in every round.
    n_arms, dimension
        K and d, instead of ``decision_set``, if the decision sets change; K is the largest.
    noise
        The standard deviation of Gaussian noise; 0.1 if left out.
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

    card: ClassVar[Card] = Card(source="", knows="", guarantee="not stated")

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
        self._horizon = require_integer("horizon", horizon, unit="round")
        self._law = reward_law(rewards, noise)
        self._rewards = rewards
        self._decision_set: NDArray[np.float64] | None = None
        if decision_set is not None:
            if n_arms is not None or dimension is not None:
                raise ValueError(
                    "n_arms and dimension must be left out when decision_set is given, "
                    f"got {n_arms} and {dimension}"
                )
            # A copy: later edits by the caller must not reach the world.
            fixed = require_array("decision_set", decision_set, shape=(None, None)).copy()
            self._decision_set = fixed
            self._n_arms, self._dimension = len(fixed), len(fixed[0])
        elif n_arms is None or dimension is None:
            raise ValueError(
                "decision_set must be given, or both n_arms and dimension if it changes, "
                f"got n_arms {n_arms} and dimension {dimension}"
            )
        else:
            self._n_arms = require_integer("n_arms", n_arms)
            self._dimension = require_integer("dimension", dimension)
            if type(self).offers is LinearWorld.offers:
                raise TypeError(
                    "decision_set must be given to a world that does not define offers, got None"
                )

    @abstractmethod
    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds in order: (n, d) blocks with n up to ``size``."""

    def offers(self, seed: int, size: int) -> Iterator[Offer]:
        """Yield the decision sets of all rounds in order, where they change.

        Each block is a pair: actions (n, K, d), and sizes (n,), the number of real rows of each
        decision set. What stands below them is padding, and never played. A world that was given
        a fixed ``decision_set`` is not asked.
        """
        raise NotImplementedError(f"the decision set of {type(self).__name__} never changes")

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        return self._horizon

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
    def noise(self) -> float:
        """The sub-Gaussian proxy R: the Gaussian's standard deviation; 0.5 for Bernoulli."""
        return self._law.noise

    @property
    def rewards(self) -> RewardKind:
        """The kind of rewards."""
        return self._rewards

    def round_numbers(self, size: int) -> Iterator[NDArray[np.int64]]:
        """Yield the round numbers 1..T in order, at most ``size`` at a time."""
        for first in range(1, self._horizon + 1, size):
            yield np.arange(first, min(first + size, self._horizon + 1), dtype=np.int64)

    def rounds(self, seed: int, size: int) -> Iterator[Rounds]:
        """Yield all rounds in order, at most ``size`` at a time.

        The numbers depend on ``seed`` and, to the last bit, not on ``size``. The arrays belong
        to the caller.
        """
        # Not a generator itself, so that a wrong argument is refused now and not when read.
        return self._rounds(
            require_integer("seed", seed, at_least=0), require_integer("size", size, unit="round")
        )

    def realised_variation(self, seed: int = 0) -> Variation:
        """Return how far the parameter, and the arm that moves most, moved in all.

        Reads the path in blocks, so that memory does not grow with the horizon.
        """
        seed = require_integer("seed", seed, at_least=0)
        size = max(1, 2**18 // self._n_arms)
        return variation_of(self._checked_path(seed, size), self._decision_set)

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
            self._law.check(means, done + 1)
            done += len(means)
            yield actions, sizes, means

    def _checked_path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        path = self.path(seed, size)
        return checked_path(path, horizon=self._horizon, dimension=self._dimension, size=size)

    def _checked_offers(self, seed: int, size: int) -> Iterator[Offer]:
        return checked_offers(
            self.offers(seed, size),
            horizon=self._horizon,
            n_arms=self._n_arms,
            dimension=self._dimension,
            size=size,
        )

    def __repr__(self) -> str:
        shown = dict.fromkeys(["horizon", "n_arms", "dimension", "noise", "rewards"])
        shown |= dict.fromkeys(inspect.signature(type(self)).parameters)
        facts = ((name, getattr(self, name, None)) for name in shown)
        plain = [f"{name}={fact!r}" for name, fact in facts if isinstance(fact, int | float | str)]
        return f"<{type(self).__name__}: {', '.join(plain)}>"
