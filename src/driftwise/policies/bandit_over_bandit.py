"""EXP3 picks how fast to forget, block by block: Algorithm 2 of Cheung et al. (2019)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.optional import expect, settle, tick
from ..core.contract.policy import is_accepted
from ..core.explain.belief import Belief
from ..core.models.arms.weights import mix, pick
from ..core.randomness import draws
from .over_policies import belief_of, estimate_of
from .sliding_window_ucb import SlidingWindowUCB

__all__ = ["BanditOverBandit"]

NUMBER, CANDIDATE, REWARDS = range(3)  # of `BlockMemory.block`


@compilable
class BlockChoice(NamedTuple):
    """A choice of the base, and the block in which it was made."""

    arm: int
    propensity: float
    value: float
    block: int  # number of the block, from 0
    candidate: int  # index of the setting in play
    chance: float  # probability with which this setting was drawn
    base: Any  # the base's own choice


@compilable
class BlockMemory(NamedTuple):
    """What `BanditOverBandit` has learnt."""

    base: Any  # memory of the base, for the block in play
    log_weights: Vector  # (settings,), the largest is 0 at the start of a block
    chances: Vector  # (settings,), probability of each setting for the block in play
    block: NDArray[np.int64]  # its number, its candidate, how many rewards have come in it
    earned: Vector  # (1,): sum of the block's own rewards

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        candidates = self.log_weights.shape[-1]
        return [(self.block, 0, MOST), (self.block[..., CANDIDATE], 0, candidates - 1)]


@described(
    Card(
        source="Cheung, Simchi-Levi, Zhu (2019), Algorithm 2",
        knows="horizon, noise, bound on the parameter",
        cost="that of its base",
        guarantee="d^(2/3) (B+1)^(1/4) T^(3/4) under Assumption 1",
        plays_ball=True,
    )
)
@compilable
class BanditOverBandit(NamedTuple):
    r"""Learns how fast to forget: EXP3 draws a setting for each block, a fresh base plays it.

    At the start of block i of H rounds a candidate j is drawn with probability

    .. math:: p_j = (1 - \gamma) \frac{s_j}{\sum_u s_u} + \frac{\gamma}{|J|},

    a base without any memory plays the block with the j-th setting, and then, with the sum of the
    block's rewards and a scale Q that brings it into [-1/2, 1/2] with high probability,

    .. math:: s_j \leftarrow s_j \exp\left(\frac{\gamma}{|J| p_j}
       \left(\frac{1}{2} + \frac{\sum_t Y_t}{Q}\right)\right).

    A block ends when H rewards have come. A reward that comes after the end of its block counts
    for the setting that earned it; the base that earned it is gone.

    Parameters
    ----------
    base
        Any policy that forgets by one setting: a window, a discount, a restart period.
    settings
        The candidates (J).
    block_length
        Rounds of a block (H).
    mixing
        Share of uniform exploration (γ), in (0, 1].
    reward_scale
        What the sum of a block's rewards is divided by (Q).

    Notes
    -----
    A round costs what a round of the base costs; a new block costs O(settings).

    References
    ----------
    Cheung, Simchi-Levi and Zhu (2019). Learning to Optimize under Non-Stationarity. AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.BanditOverBandit.tuned(horizon=30_000, dimension=2, noise=0.1)
    >>> policy.block_length, policy.settings.tolist()
    (274, [1, 2, 6, 16, 42, 107, 274])
    """

    base: Any
    settings: Any  # any sequence; kept as a read-only array
    block_length: int
    mixing: float
    reward_scale: float

    def _check(self) -> None:
        _require_forgetful(self.base)
        settings = self.settings
        is_list = isinstance(settings, np.ndarray) and settings.ndim == 1 and settings.size > 0
        if not is_list or settings.dtype.kind not in "if":
            raise RuleValueError("settings", "be a list of at least one setting", settings)
        for setting in settings.tolist():
            self.base.adjusted(setting)  # the base knows which settings are allowed
        require_integer("block_length", self.block_length, unit="round")
        require_fraction("mixing", self.mixing, inclusive=True)
        require_number("reward_scale", self.reward_scale, above=0.0)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        base: Any = None,
        geometry: theory.Geometry = "orthogonal",
        rule: theory.BlockRule = "paper",
    ) -> BanditOverBandit:
        """Return the policy with H, Δ, J and γ of the paper; the variation need not be known.

        Parameters
        ----------
        horizon, dimension
            How many rounds there will be, of actions of what length.
        noise, action_norm, parameter_norm, ridge
            As in `SlidingWindowUCB`.
        base
            What plays the blocks; by default `SlidingWindowUCB` with δ = 1/T.
        geometry
            "orthogonal" if the decision sets satisfy Assumption 1, otherwise "general".
        rule
            "paper" for the paper's block length, "hedging" for that of "Hedging the Drift".
        """
        length = theory.block_length(
            horizon=horizon, dimension=dimension, geometry=geometry, rule=rule
        )
        if base is None:
            base = SlidingWindowUCB(
                length, noise, action_norm, parameter_norm, ridge, 1.0 / horizon
            )
        _require_forgetful(base)
        candidates = base.candidates(length)
        return cls(
            base,
            candidates,
            length,
            theory.exp3_mixing(n_arms=len(candidates), horizon=-(-horizon // length)),
            theory.block_reward_scale(horizon=horizon, block_length=length, noise=noise),
        )

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> BlockMemory:
        """Allocate a memory, with room for the base under any setting."""
        roomy = self.base.adjusted(self.base.roomiest(self.settings.tolist()))
        inside = roomy.start(n_arms, dimension, fixed)
        n = len(self.settings)
        return BlockMemory(inside, np.zeros(n), np.zeros(n), np.zeros(3, np.int64), np.zeros(1))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything and open the first block."""
        for j in range(memory.log_weights.size):
            memory.log_weights[j] = 0.0
        memory.block[NUMBER] = 0
        self.open_block(memory, luck)

    def open_block(self, memory: Any, luck: int) -> None:
        """Draw a setting and clear the base."""
        n = self.settings.size  # there may be room for more
        mix(memory.log_weights[:n], self.mixing, memory.chances[:n])
        candidate = pick(memory.chances[:n], luck)
        memory.block[CANDIDATE] = candidate
        memory.block[REWARDS] = 0
        memory.earned[0] = 0.0
        self.base.adjusted(self.settings[candidate]).restart(memory.base, draws.fork(luck))

    def choose(self, memory: Any, actions: Matrix, luck: int) -> BlockChoice:
        """Let the base choose, under the setting of the block."""
        candidate = memory.block[CANDIDATE]
        inner = self.base.adjusted(self.settings[candidate]).choose(memory.base, actions, luck)
        return BlockChoice(
            inner.arm, inner.propensity, inner.value,
            memory.block[NUMBER], candidate, memory.chances[candidate], inner,
        )  # fmt: skip

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the base learn; at the end of a block, credit its setting and open another."""
        if choice.block == memory.block[NUMBER]:
            memory.earned[0] += reward
            base = self.base.adjusted(self.settings[memory.block[CANDIDATE]])
            base.learn(memory.base, action, choice.base, reward, draws.fork(luck, 1))
        else:
            # The exponent is linear in the rewards, so a late one can be credited by itself.
            self.credit(memory, choice.candidate, choice.chance, reward / self.reward_scale)
        memory.block[REWARDS] += 1
        if memory.block[REWARDS] >= self.block_length:
            chance = memory.chances[memory.block[CANDIDATE]]
            gain = 0.5 + memory.earned[0] / self.reward_scale
            self.credit(memory, memory.block[CANDIDATE], chance, gain)
            memory.block[NUMBER] += 1
            self.open_block(memory, luck)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the base of a decision in flight, if it is of the block in play."""
        if choice.block == memory.block[NUMBER]:
            base = self.base.adjusted(self.settings[memory.block[CANDIDATE]])
            expect(base, memory.base, action, choice.base, draws.fork(luck, 1))

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the base that a decision is in flight no longer, if it is of the block in play."""
        if choice.block == memory.block[NUMBER]:
            base = self.base.adjusted(self.settings[memory.block[CANDIDATE]])
            settle(base, memory.base, action, choice.base, draws.fork(luck, 1))

    def tick(self, memory: Any) -> None:
        """Tell the base of a round in which nothing was learnt."""
        base = self.base.adjusted(self.settings[memory.block[CANDIDATE]])
        tick(base, memory.base)

    def credit(self, memory: Any, candidate: int, chance: float, gain: float) -> None:
        """Raise the weight of a setting that was drawn with this chance."""
        memory.log_weights[candidate] += self.mixing / (self.settings.size * chance) * gain

    def accepts(self, choice: Any) -> bool:
        """Return whether a choice can be learnt from, wherever it was kept; runs in Python only."""
        return (
            type(choice) is BlockChoice
            and 0 <= choice.candidate < len(self.settings)
            and 0.0 < choice.chance <= 1.0
            and is_accepted(self.base, choice.base)
            and choice.base.arm == choice.arm
        )

    def estimate_in(self, memory: Any) -> Vector:
        """Return the estimate of the base, from the block in play; runs in Python only."""
        return estimate_of(self.base, memory.base)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        block, candidate, rounds = memory.block.tolist()
        setting = self.settings[candidate].item()
        details = {
            "block": block,
            "rounds_in_block": rounds,
            "setting": setting,
            "settings": self.settings.tolist(),
            "chances": memory.chances[: len(self.settings)].tolist(),
        }
        opening = f"Block {block + 1} plays the setting {setting}"
        return belief_of(self.base.adjusted(setting), memory.base, opening, details)


def _require_forgetful(base: Any) -> None:
    if not all(hasattr(base, method) for method in ("adjusted", "roomiest", "candidates")):
        raise RuleTypeError("base", "be a policy that forgets by one setting", base)
