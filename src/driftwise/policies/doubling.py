"""Epochs of doubling length, each played by a policy that is tuned for it: no horizon is needed."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import theory
from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.limits import MOST, Limits
from ..core.base.validation import require_integer, require_known
from ..core.compiler.compiled import compilable
from ..core.contract.memories import fields_in
from ..core.contract.optional import expect, settle, tick
from ..core.contract.policy import is_accepted
from ..core.explain.belief import Belief
from ..core.randomness import draws
from .bandit_over_bandit import BanditOverBandit
from .over_policies import belief_of, estimate_of, is_policy, told_as
from .sliding_window_ucb import SlidingWindowUCB

__all__ = ["Doubling"]

NUMBER, REWARDS = range(2)  # of `EpochMemory.epoch`
BASES = {"BanditOverBandit": BanditOverBandit, "SlidingWindowUCB": SlidingWindowUCB}


@compilable
class EpochChoice(NamedTuple):
    """A choice of the policy in play, and the epoch in which it was made."""

    arm: int
    propensity: float
    value: float
    epoch: int  # number of the epoch, from 0
    base: Any  # the policy's own choice


@compilable
class EpochMemory(NamedTuple):
    """What `Doubling` has learnt."""

    base: Any  # memory of the policy in play, with room for that of the last epoch
    epoch: NDArray[np.int64]  # its number, how many rewards have come in it

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.epoch, 0, MOST)]


@described(
    Card(
        source="folklore; the constant is worked out in theory.doubling_constant",
        knows="noise, bound on the parameter",
        cost="that of its base",
        guarantee="that of its base without knowing T, times 2.71 for T^(2/3) and 2.69 for T^(3/4), "
        "until the last epoch ends",
        plays_ball=True,
    )
)
@compilable
class Doubling(NamedTuple):
    r"""Plays epochs of L, 2L, 4L, ... rounds, each from nothing by a policy tuned for its length.

    A base that loses at most :math:`c \, n^a` in the n rounds that it is tuned for, loses at most

    .. math:: \max\left(1 + 2^a, \frac{2^a}{2^a - 1}\right) c \, T^a

    in this way, whenever one looks, with T > L (see `driftwise.theory.doubling_constant`).

    An epoch ends when as many rewards have come as it has rounds. A reward that comes after the end of
    its epoch is not learnt: who earned it is gone. When the last epoch ends, another of its length
    follows, and so on: from there on the bound holds no longer.

    Parameters
    ----------
    epochs
        A tuple of policies of one class, which play the epochs in turn. The memory of the last must have
        room for all others.
    first_length
        Rounds of the first epoch (L).

    Notes
    -----
    A round costs what a round of the base costs, and the memory is that of the last epoch.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.Doubling.tuned(dimension=2, noise=0.1)
    >>> [each.window for each in policy.epochs][:5]
    [40, 64, 101, 161, 256]
    >>> sum(policy.first_length << i for i in range(len(policy.epochs))) >= 2**20
    True
    """

    epochs: Any  # any sequence of policies; kept as a tuple
    first_length: int

    def _check(self) -> None:
        is_tuple = isinstance(self.epochs, tuple) and not hasattr(self.epochs, "_fields")
        if not is_tuple or not self.epochs or not all(map(is_policy, self.epochs)):
            raise RuleTypeError("epochs", "be a tuple of policies", self.epochs)
        if len({type(each) for each in self.epochs}) > 1:
            raise RuleTypeError("epochs", "be policies of one class", self.epochs)
        require_integer("first_length", self.first_length, unit="round")
        if len(self.epochs) + self.first_length.bit_length() > 62:
            raise RuleValueError("epochs", "have fewer than 2^61 rounds", len(self.epochs))

    @classmethod
    @told_as(SlidingWindowUCB.tuned, without=("horizon", "variation"))
    def tuned(
        cls,
        *,
        base: Any = "SlidingWindowUCB",
        first_length: int = 128,
        rounds: int = 2**20,
        **facts: Any,
    ) -> Doubling:
        """Return the policy with a base that is tuned for each epoch; neither T nor B need be known.

        Parameters
        ----------
        dimension, noise, action_norm, parameter_norm, ridge, geometry
            As for `SlidingWindowUCB.tuned`; for a base that plays arms, ``dimension`` is their number.
        base
            "SlidingWindowUCB", "BanditOverBandit", or any class of policies with a method ``tuned`` that
            asks for no more than a horizon and what is known here.
        first_length
            Rounds of the first epoch.
        rounds
            How many rounds all epochs have together, at least. Memory grows with it, for
            `SlidingWindowUCB` like its power 2/3.
        """
        if isinstance(base, str):
            base = BASES[require_known("base", base, BASES)]
        if not hasattr(base, "tuned"):
            raise RuleTypeError("base", "be a class of policies with a method tuned", base)
        asked = inspect.signature(base.tuned).parameters
        facts |= {"n_arms": facts["dimension"]}  # arms are on the axes
        facts = {name: fact for name, fact in facts.items() if name in asked}
        lengths = theory.epoch_lengths(first_length, rounds)
        return cls(tuple(base.tuned(horizon=each, **facts) for each in lengths), first_length)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> EpochMemory:
        """Allocate a memory that has room for every epoch."""
        *others, last = (each.start(n_arms, dimension, fixed) for each in self.epochs)
        room = [array.shape for array in fields_in(last).values()]
        for i, memory in enumerate(others):
            needed = [array.shape for array in fields_in(memory).values()]
            if any(np.any(np.greater(a, b)) for a, b in zip(needed, room, strict=True)):
                rule = f"need no more memory than the last: that of index {i} does"
                raise RuleValueError("epochs", rule, self.epochs[i])
        return EpochMemory(last, np.zeros(2, np.int64))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything and begin the first epoch."""
        memory.epoch[NUMBER] = 0
        memory.epoch[REWARDS] = 0
        self.epochs[0].restart(memory.base, luck)

    def turn(self, memory: Any) -> int:
        """Return the index of the policy in play."""
        return min(memory.epoch[NUMBER], len(self.epochs) - 1)  # type: ignore[no-any-return]  # an int

    def choose(self, memory: Any, actions: Matrix, luck: int) -> EpochChoice:
        """Let the policy of the epoch choose."""
        inner = self.epochs[self.turn(memory)].choose(memory.base, actions, luck)
        return EpochChoice(inner.arm, inner.propensity, inner.value, memory.epoch[NUMBER], inner)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the policy of the epoch learn; at the end of the epoch, begin the next from nothing."""
        if choice.epoch == memory.epoch[NUMBER]:
            self.epochs[self.turn(memory)].learn(memory.base, action, choice.base, reward, luck)
        memory.epoch[REWARDS] += 1
        if memory.epoch[REWARDS] >= self.first_length << self.turn(memory):
            memory.epoch[NUMBER] += 1
            memory.epoch[REWARDS] = 0
            self.epochs[self.turn(memory)].restart(memory.base, draws.fork(luck, 1))

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the policy of the epoch of a decision in flight, if it is its own."""
        if choice.epoch == memory.epoch[NUMBER]:
            expect(self.epochs[self.turn(memory)], memory.base, action, choice.base, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the policy of the epoch that a decision is in flight no longer, if it is its own."""
        if choice.epoch == memory.epoch[NUMBER]:
            settle(self.epochs[self.turn(memory)], memory.base, action, choice.base, luck)

    def tick(self, memory: Any) -> None:
        """Tell the policy of the epoch of a round in which nothing was learnt."""
        tick(self.epochs[self.turn(memory)], memory.base)

    def accepts(self, choice: Any) -> bool:
        """Return whether a choice can be learnt from, wherever it was kept; runs in Python only."""
        return (
            type(choice) is EpochChoice
            and 0 <= choice.epoch <= MOST
            and is_accepted(self.epochs[min(choice.epoch, len(self.epochs) - 1)], choice.base)
            and choice.base.arm == choice.arm
        )

    def estimate_in(self, memory: Any) -> Vector:
        """Return the estimate of the policy in play; runs in Python only."""
        return estimate_of(self.epochs[self.turn(memory)], memory.base)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        number, rewards = memory.epoch.tolist()
        length = self.first_length << self.turn(memory)
        details = {"epoch": number, "rounds_in_epoch": rewards, "epoch_length": length}
        opening = f"Epoch {number + 1}, of {length:,} rounds"
        return belief_of(self.epochs[self.turn(memory)], memory.base, opening, details)
