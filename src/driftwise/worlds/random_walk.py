"""A parameter that wanders: small Gaussian steps, turned back at a bound on its length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.card import Card
from ..core.base.errors import RuleValueError
from ..core.base.validation import require_array, require_number
from ..core.randomness.many_normals import many_normals
from ..core.randomness.seeds import generator
from .linear import LinearWorld
from .parts.basis import actions_or_basis
from .parts.norms import lengths

__all__ = ["RandomWalk"]

# A walk is a running sum up to the round in which it would leave the ball; there the sum is cut
# and starts over. Short pages keep what has to be summed again small.
_PAGE = 128


class RandomWalk(LinearWorld):
    r"""A parameter that wanders by Gaussian steps, its length reflected at a bound.

    .. math:: \theta_{t+1} = \rho(\theta_t + s \, \xi_t), \qquad \xi_t \sim N(0, I_d),

    where :math:`\rho` leaves a vector of length up to S alone, and moves a longer one along its
    own line: what lies beyond the sphere of radius S is folded back, to the other side of the
    origin if need be.

    Parameters
    ----------
    horizon
        The number of rounds T.
    dimension
        d; 2 if neither it nor ``decision_set`` is given.
    step
        The standard deviation s of a step of a coordinate.
    parameter_norm
        The bound S on the length of the parameter.
    start
        The (d,) parameter of the first round; the origin by default.
    decision_set
        The (K, d) actions; the d basis vectors, that is a d-armed bandit, by default.
    noise
        The standard deviation of Gaussian noise; 0.1 by default.

    Notes
    -----
    The variation of a path of T rounds is about :math:`s T \sqrt d` (in few dimensions less, down
    to 0.8 times that): it grows with T, while the parameter gets no further than about
    :math:`s \sqrt{d T}` from where it began.

    Examples
    --------
    >>> world = RandomWalk(horizon=10_000)
    >>> path = np.concatenate(list(world.path(seed=0, size=4096)))
    >>> path[0].tolist(), bool(lengths(path).max() <= 1.0)
    ([0.0, 0.0], True)
    >>> round(world.realised_variation(seed=0).l2), world.number_of_changes(seed=0)
    (125, 9999)
    """

    card: ClassVar[Card] = Card(
        source="the standard model of a parameter that wanders",
        knows="",
        guarantee="Assumption 1 holds unless decision_set breaks it",
    )

    def __init__(
        self,
        *,
        horizon: int,
        dimension: int | None = None,
        step: float = 0.01,
        parameter_norm: float = 1.0,
        start: ArrayLike | None = None,
        decision_set: ArrayLike | None = None,
        noise: float | None = None,
    ) -> None:
        actions = actions_or_basis(decision_set, dimension)
        super().__init__(horizon=horizon, decision_set=actions, noise=noise)
        self._step = require_number("step", step, at_least=0.0)
        self._parameter_norm = require_number("parameter_norm", parameter_norm, above=0.0)
        if start is None:
            start = np.zeros(self.dimension)
        self._start = require_array("start", start, shape=(self.dimension,)).copy()
        length = float(lengths(self._start))
        if length > self._parameter_norm:
            raise RuleValueError(
                "start",
                f"not be longer than the parameter_norm {self._parameter_norm:g}",
                length,
                f"length {length:g}",
            )

    @property
    def step(self) -> float:
        """The standard deviation of a step of a coordinate."""
        return self._step

    @property
    def parameter_norm(self) -> float:
        """The bound on the length of the parameter."""
        return self._parameter_norm

    def path(self, seed: int, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield the parameters of all rounds."""
        random = generator(seed, "parameters")
        here = self._start[None]
        for t in self.round_numbers(size):
            steps = self._step * many_normals(random, (len(t), self.dimension))
            if t[0] == 1:
                steps[0] = 0.0  # the first round is where the walk begins
            walk = np.empty((len(t), self.dimension))
            done = 0
            while done < len(t):
                # From left to right, so that the sum has the same bits wherever it is cut.
                page = np.concatenate([here, steps[done : done + _PAGE]])
                part = np.cumsum(page, axis=0)[1:]
                outside = np.flatnonzero(lengths(part) > self._parameter_norm)
                if len(outside):
                    part = part[: outside[0] + 1]
                    part[-1] = self._folded(part[-1])
                walk[done : done + len(part)] = part
                done += len(part)
                here = part[-1:]
            yield walk

    def _folded(self, parameter: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a vector moved along its own line into the ball."""
        bound, length = self._parameter_norm, float(lengths(parameter))
        # Along the line, positions from -S to S and back have the period 4 S.
        position = (length + bound) % (4.0 * bound)
        position = min(position, 4.0 * bound - position) - bound
        return parameter * (position / length)
