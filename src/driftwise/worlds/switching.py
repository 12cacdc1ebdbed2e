"""A world that jumps: pieces in which nothing moves, and changes at given or drawn rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_array, require_integer, require_known
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.basis import actions_or_basis
from .parts.norms import within_unit_ball
from .parts.pieces import piecewise, require_times
from .parts.rewards import RewardKind

__all__ = ["Switching"]

Times: TypeAlias = Literal["even", "random", "geometric"]

_DEFAULT_CHANGES = 4


class Switching(LinearWorld):
    r"""A world that jumps: between changes the parameter stands still.

    .. math:: \theta_t = \vartheta_j \quad \text{for} \quad \tau_j \le t < \tau_{j+1},
              \qquad \tau_0 = 1,

    with :math:`\tau_1 < \tau_2 < \dots` the times of the changes.

    Parameters
    ----------
    horizon
        The number of rounds T.
    n_changes
        How many changes; with geometric times, how many on average. 4 by default; left out if
        ``times`` are given.
    times
        ``"even"``: pieces of equal length, up to one round. ``"random"``: a set of rounds drawn
        uniformly among all sets of that size. ``"geometric"``: each round from the second on is
        a change with the same probability, so that pieces have geometric lengths. Or the rounds
        themselves in which a new parameter first holds; one after the horizon never comes.
    parameters
        (m, d): the parameters of the pieces, from the first again when used up. If left out,
        each piece draws its own, uniformly in :math:`[0, 1]^d` and scaled to norm 1 if longer.
    dimension
        d, if neither ``parameters`` nor ``decision_set`` tells it; 2 by default.
    decision_set
        The (K, d) actions; the d basis vectors, that is a d-armed bandit, by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.
    rewards
        ``"gaussian"``, ``"heavy-tailed"``, ``"heteroscedastic"``, ``"outliers"``, or
        ``"bernoulli"`` for rewards of 0 and 1; see `driftwise.worlds.parts.rewards`.

    Examples
    --------
    >>> world = Switching(horizon=1000, times=[401, 701], parameters=[[0.2, 0.8], [0.9, 0.8]])
    >>> [chunk.means[0].tolist() for chunk in world.rounds(seed=0, size=400)]
    [[0.2, 0.8], [0.9, 0.8], [0.2, 0.8]]
    >>> world.number_of_changes(), round(world.realised_variation().l2, 3)
    (2, 1.4)
    >>> [Switching(horizon=1000, times="geometric").number_of_changes(seed) for seed in range(5)]
    [2, 2, 3, 2, 2]
    """

    card: ClassVar[Card] = Card(
        source="piecewise stationary bandits, after Garivier and Moulines (ALT 2011)",
        knows="",
        guarantee="Assumption 1 holds unless decision_set breaks it",
    )

    def __init__(
        self,
        *,
        horizon: int,
        n_changes: int | None = None,
        times: Times | Sequence[int] = "even",
        parameters: ArrayLike | None = None,
        dimension: int | None = None,
        decision_set: ArrayLike | None = None,
        noise: float | None = None,
        rewards: RewardKind = "gaussian",
    ) -> None:
        if dimension is not None:
            dimension = require_integer("dimension", dimension)
        self._parameters: NDArray[np.float64] | None = None
        if parameters is not None:
            self._parameters = require_array(
                "parameters", parameters, shape=(None, dimension)
            ).copy()
            dimension = self._parameters.shape[1]
        actions = actions_or_basis(decision_set, dimension)
        super().__init__(horizon=horizon, decision_set=actions, noise=noise, rewards=rewards)
        self._times: Times | tuple[int, ...]
        if isinstance(times, str):
            require_known("times", times, get_args(Times))
            self._times = times
            self._n_changes = self._require_n_changes(n_changes)
        else:
            self._times = require_times("times", times)
            if n_changes is not None:
                raise RuleValueError("n_changes", "be left out when times are given", n_changes)
            self._n_changes = len(self._times)

    @classmethod
    def garivier_moulines(
        cls, *, horizon: int = 10_000, rewards: RewardKind = "bernoulli"
    ) -> Switching:
        """Return the test problem of Garivier and Moulines: a third arm that is best for a while.

        Three arms with probabilities 0.5, 0.3 and 0.4; the third has 0.9 in the rounds
        3000 < t <= 5000 of 10,000, and at the same fractions of another horizon.

        Notes
        -----
        The numbers are those by which the problem is usually quoted; they were not compared with
        the text of the paper.

        References
        ----------
        Garivier, Moulines: On Upper-Confidence Bound Policies for Switching Bandit Problems.
        ALT 2011.

        Examples
        --------
        >>> world = Switching.garivier_moulines()
        >>> world.times, world.number_of_changes()
        ((3001, 5001), 2)
        """
        horizon = require_integer("horizon", horizon, at_least=4, unit="round")
        return cls(
            horizon=horizon,
            times=[1 + 3 * horizon // 10, 1 + horizon // 2],
            parameters=[[0.5, 0.3, 0.4], [0.5, 0.3, 0.9]],
            rewards=rewards,
        )

    @property
    def n_changes(self) -> int:
        """The number of changes that was asked for; with geometric times, its mean."""
        return self._n_changes

    @property
    def times(self) -> Times | tuple[int, ...]:
        """How the rounds of change are found, or these rounds themselves."""
        return self._times

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds, piece by piece."""
        find = self._drawn_pieces if self._times == "geometric" else self._known_pieces
        given = self._parameters
        draw = _Drawn(seed, self.dimension) if given is None else _Taken(given)
        return piecewise(find(seed, size), draw)

    def _known_pieces(self, seed: int, size: int) -> Iterator[NDArray[np.int64]]:
        """Yield the number of the piece of each round; all changes are known at the start."""
        times = self._change_times(seed)
        for t in self.round_numbers(size):
            yield np.searchsorted(times, t, side="right")

    def _drawn_pieces(self, seed: int, size: int) -> Iterator[NDArray[np.int64]]:
        """Yield the number of the piece of each round; each round may be a change."""
        random = generator(seed, "change times")
        last = 0
        for t in self.round_numbers(size):
            # The first round takes its number too, and is no change.
            is_change = (random.random(len(t)) * (self.horizon - 1) < self._n_changes) & (t > 1)
            piece = last + np.cumsum(is_change)
            last = int(piece[-1])
            yield piece

    def _change_times(self, seed: int) -> NDArray[np.int64]:
        if isinstance(self._times, tuple):
            return np.array(self._times, dtype=np.int64)
        if self._times == "random":
            random = generator(seed, "change times")
            return np.sort(2 + random.choice(self.horizon - 1, self._n_changes, replace=False))
        n_pieces = self._n_changes + 1
        return np.array([1 + j * self.horizon // n_pieces for j in range(1, n_pieces)], np.int64)

    def _require_n_changes(self, n_changes: int | None) -> int:
        if n_changes is None:
            return min(_DEFAULT_CHANGES, self.horizon - 1)
        n = require_integer("n_changes", n_changes, at_least=0)
        if n >= self.horizon:
            raise RuleValueError(
                "n_changes", f"be less than the {self.horizon} rounds of the horizon", n
            )
        return n


class _Taken:
    """The next parameters of a list that begins again at its end."""

    def __init__(self, parameters: NDArray[np.float64]) -> None:
        self._parameters = parameters
        self._taken = 0

    def __call__(self, n: int) -> NDArray[np.float64]:
        rows = np.arange(self._taken, self._taken + n) % len(self._parameters)
        self._taken += n
        return self._parameters[rows]


class _Drawn:
    """The next parameters, drawn from the positive part of the unit ball."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._random = generator(seed, "parameters")
        self._dimension = dimension

    def __call__(self, n: int) -> NDArray[np.float64]:
        return within_unit_ball(self._random.random((n, self._dimension)))
