"""Filters of coordinates in blocks, of which an action touches one: what named actions alone have.

If no two blocks are ever touched by one action, no P_j and no U has anything between two blocks: what the
filters of all coordinates would keep there is zero, and stays zero. So every block has a bank of its own,
with the numbers that the bank of all coordinates would have, to the bit. What the mixture has between
two blocks, sum w_j (m_j - m)(m_j - m)', no action ever reads, and is not kept.

Costs of one round in B blocks of b coordinates, in multiplications, with M filters: K b^2 to choose,
3.5 M b^2 for the block of the action, and M b^2 / 2 for each of the others, which grow with time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Matrix, Vector
from ...base.limits import Limits
from ...compiler.compiled import compilable
from ...compiler.layers import layer
from ...contract.blocks import block_of
from ...randomness.ties import better
from .filters import ACTION, CENTRE, SPREAD, STALENESS, WATCHED, FilterDense
from .probe import promise

__all__ = ["FilterBlocks"]


@compilable
class FilterBlocks(NamedTuple):
    """For decision sets whose actions touch one block each."""

    banks: Any  # FilterDense, one layer per block
    newest: NDArray[np.int64]  # (1,), the block of the newest action

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.newest, 0, self.banks.vectors.shape[-3] - 1)]

    def know_nothing(self, variance: float, rate: float, mixture: Any) -> None:
        """Return to the prior N(0, variance I), and let the first round begin."""
        self.newest[0] = 0
        for block in range(self.banks.vectors.shape[0]):
            layer(self.banks, block).know_nothing(variance, rate, mixture)

    def predict(
        self, action: Vector, arm: int, reward: float, longest: float, mixture: Any
    ) -> None:
        """Write what each filter says of the reward: its variance and its error."""
        length = self.banks.vectors.shape[2]
        block = block_of(action, length)
        self.newest[0] = block
        own = action[block * length : (block + 1) * length]
        layer(self.banks, block).predict(own, arm, reward, longest, mixture)

    def see(self, ratio: float) -> tuple[float, float]:
        """Let the probe know which action was played; see `FilterDense.see`."""
        return layer(self.banks, self.newest[0]).see(ratio)  # type: ignore[no-any-return]  # two floats

    def watch(self) -> None:
        """Keep an eye on the newest action."""
        vectors = self.banks.vectors
        for block in range(vectors.shape[0]):
            is_newest = block == self.newest[0]
            for i in range(vectors.shape[2]):
                vectors[block, WATCHED, i] = vectors[block, ACTION, i] if is_newest else 0.0

    def outlook(self) -> tuple[float, float]:
        """Return the mean and the variance of the action that is watched, by the mixture."""
        mean, square = 0.0, 0.0
        for block in range(self.banks.vectors.shape[0]):
            own_mean, own_square = layer(self.banks, block).outlook()
            mean += own_mean
            square += own_square
        return mean, square

    def correct(self, rate: float, mixture: Any) -> None:
        """Move the filters of the block towards the reward, and let the next round begin for all."""
        for block in range(self.banks.vectors.shape[0]):
            if block == self.newest[0]:
                layer(self.banks, block).correct(rate, mixture)
            else:
                layer(self.banks, block).rest(rate, mixture)

    def rest(self, rate: float, mixture: Any) -> None:
        """Let the next round begin without a reward."""
        for block in range(self.banks.vectors.shape[0]):
            layer(self.banks, block).rest(rate, mixture)

    def promising(
        self, actions: Matrix, width: float, parameter_norm: float, luck: int
    ) -> tuple[int, float, int]:
        """Return the arm that promises most, what it promises, and how many tie."""
        best, bound, ties = 0, -math.inf, 0
        for arm in range(actions.shape[0]):
            mean, square, unseen, length = self.survey(actions[arm])
            spread = width * math.sqrt(max(square, 0.0))
            stale = max(unseen, 0.0) / length if length > 0.0 else 0.0  # by rounding, as above
            most = parameter_norm * math.sqrt(length)
            value = promise(mean, spread, stale, most)
            best, bound, ties = better(arm, value, best, bound, ties, luck)
        return best, bound, ties

    def survey(self, action: Vector) -> tuple[float, float, float, float]:
        """Return x'm, x'C x, x'U x and x'x, with the sums of `FilterDense.survey` but for zeros."""
        size = self.banks.vectors.shape[2]
        block = block_of(action, size)
        first = block * size
        centre, shape = self.banks.vectors[block, CENTRE], self.banks.shapes[block, SPREAD]
        ages = self.banks.shapes[block, STALENESS]
        mean, square, unseen, length = 0.0, 0.0, 0.0, 0.0
        for i in range(size):
            x, s, u = action[first + i], 0.0, 0.0
            for k in range(i):
                other = action[first + k]
                s += shape[i, k] * other
                u += ages[i, k] * other
            square += x * (2.0 * s + shape[i, i] * x)
            unseen += x * (2.0 * u + ages[i, i] * x)
            mean += x * centre[i]
            length += x * x
        return mean, square, unseen, length

    def _whole(self) -> FilterDense:
        """Return the bank of all coordinates, with zeros between blocks; in Python only."""
        n_blocks, _, size = self.banks.vectors.shape
        d, m = n_blocks * size, self.banks.moments.shape[-1]
        whole = FilterDense(
            np.zeros((3, d, m)), np.zeros((d, d, m)), np.zeros((2, d, d)), np.zeros((4, d))
        )
        self._copy(whole, is_into=True)
        return whole

    def _copy(self, whole: FilterDense, *, is_into: bool) -> None:
        """Write the blocks into the bank of all coordinates, or take them out of it; in Python only."""
        size = self.banks.vectors.shape[2]
        for block in range(self.banks.vectors.shape[0]):
            here, bank = slice(block * size, (block + 1) * size), layer(self.banks, block)
            parts = whole.moments[:, here], whole.spreads[here, here], whole.shapes[:, here, here]
            for mine, theirs in zip(bank, (*parts, whole.vectors[:, here]), strict=True):
                source, target = (mine, theirs) if is_into else (theirs, mine)
                target[...] = source

    def _forget(self, unlearnt: Any, columns: slice) -> None:
        """Bring coordinates back to the prior; in Python only."""
        whole = self._whole()
        whole._forget(unlearnt._whole(), columns)
        self._copy(whole, is_into=False)

    def _extend(self, former: Any, unlearnt: Any, columns: NDArray[np.intp], factor: float) -> None:
        """Take over what was learnt of fewer coordinates; in Python only."""
        whole = self._whole()
        whole._extend(former, unlearnt, columns, factor)
        self._copy(whole, is_into=False)

    def solution(self) -> Vector:
        """Return the mean of the mixture."""
        return self._whole().solution()

    def covariances(self) -> tuple[Matrix, Matrix]:
        """Return C, without what is between blocks, and U; in Python only."""
        return self._whole().covariances()
