"""Instances of a base at all scales at once, and two tests that restart them (Wei, Luo, 2021)."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.validation import require_fraction, require_integer, require_known, require_number
from ..core.compiler.compiled import compilable
from ..core.compiler.layers import layer, stacked
from ..core.contract.optional import expect, settle
from ..core.contract.policy import is_accepted
from ..core.explain.belief import Belief
from ..core.models.instances import (
    ACTING,
    BEGUN,
    EXCESS,
    FAILURES,
    LEAST_BOUND,
    ORDER,
    PASSED,
    InstancesMemory,
)
from ..core.randomness import draws
from .lin_ucb import LinUCB
from .over_policies import belief_of, estimate_of, is_policy
from .ucb1 import UCB1

__all__ = ["Master"]

_NO_BOUND = 1.7976931348623157e308  # the largest float: what no bound can exceed


@compilable
class InstanceChoice(NamedTuple):
    """A choice of the base, and the instance that made it."""

    arm: int
    propensity: float
    value: float
    order: int  # of the instance: it was scheduled for 2^order rounds
    instance: int  # its number, from 1
    base: Any  # the base's own choice


@described(
    Card(
        source="Wei, Luo (2021)",
        knows="horizon",
        cost="that of its base, and log T; memory: log T times that of its base",
        guarantee="sqrt(T) per change or variation^(1/3) T^(2/3), the smaller, up to logarithms; "
        "fixed decision set, rewards in [0, 1]",
        plays_ball=True,
    )
)
@compilable
class Master(NamedTuple):
    r"""Runs instances of an optimistic base at all scales, and starts over if two tests say so.

    Time goes in blocks of 1, 2, 4, ..., 2^n rounds. In a block of order n, whenever 2^m divides the
    number of rounds passed, a fresh instance of the base is scheduled for the next 2^m rounds with
    probability ρ(2^n) / ρ(2^m), for m = n, ..., 0. Of all instances of a moment the shortest acts
    and learns; the others pause. With the bounds g of the instances that acted, their smallest U in
    the block, and :math:`\hat\rho(t) = c \, \rho(t)`, the blocks start over from order 0 if

    - an instance of order m ends and the mean reward since it began is at least
      :math:`U + 9 \hat\rho(2^m)`: something has become better than any instance believed;
    - or the mean of g - Y over the t rounds of the block is at least :math:`3 \hat\rho(t)`:
      something has become worse.

    Parameters
    ----------
    base
        A policy whose choices carry an optimistic bound as their value.
    root, linear
        Regret of the base per round where nothing changes:
        :math:`\rho(t) = \text{root} / \sqrt t + \text{linear} / t`.
    threshold
        What ρ is multiplied by in the tests (c); :math:`6 \hat n \ln(T / \delta)` in the paper,
        with :math:`\hat n = \log_2 T + 1`.
    longest_order
        The longest block has 2 to this power rounds; should it end, another of that length follows.

    Notes
    -----
    With the paper's threshold the tests do not fire at any practical horizon: in two dimensions with
    T = 1e5, ρ̂(t) is about 4.5e5 / √t, and rewards are at most 1. What remains are restarts at
    random (Gerogiannis, Huang and Veeravalli, 2025). That is what ``scale`` in `tuned` is for; the
    proofs hold for 1 only.

    The proofs are for rewards in [0, 1] and for a decision set that never changes; neither is
    enforced. Rounds are counted by rewards. A late reward counts in the tests of the day on which
    it comes, and its instance learns from it if that is still alive. Where the base has no bound
    (nan), the round has no say in U nor in the mean of g - Y.

    References
    ----------
    Wei and Luo (2021). Non-stationary reinforcement learning without prior knowledge: an optimal
    black-box approach. COLT.

    Gerogiannis, Huang and Veeravalli (2025). Is prior-free black-box non-stationary reinforcement
    learning feasible? AISTATS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.Master.tuned(horizon=100_000, dimension=2)
    >>> round(policy.threshold * policy.root, -4), policy.longest_order
    (450000.0, 16)
    """

    base: Any
    root: float
    linear: float
    threshold: float
    longest_order: int

    def _check(self) -> None:
        if not is_policy(self.base):
            raise RuleTypeError("base", "be a policy", self.base)
        require_number("root", self.root, above=0.0)
        require_number("linear", self.linear, at_least=0.0)
        require_number("threshold", self.threshold, above=0.0)
        if require_integer("longest_order", self.longest_order, at_least=0) > 62:
            raise RuleValueError("longest_order", "be at most 62", self.longest_order)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int | None = None,
        n_arms: int | None = None,
        base: Literal["OFUL", "UCB1"] = "OFUL",
        scale: float = 1.0,
        confidence: float | None = None,
    ) -> Master:
        """Return the policy over one of the paper's bases.

        With L = ln(T / δ): "OFUL" has the constant radius 2β, β = 4 √(d L), and ρ(t) = β √(d L / t);
        it is `LinUCB` without noise and with 2β as norm of the parameter. "UCB1" has √(2 L) as
        width of one reward and ρ(t) = √(K L / t) + K L / t.

        Parameters
        ----------
        horizon
            How many rounds there will be (T).
        dimension, n_arms
            Length of an action, which "OFUL" must know; number of arms, which "UCB1" must know.
        base
            What is run at all scales.
        scale
            Factor on the paper's threshold; see the notes of the class.
        confidence
            Probability with which the bounds may fail (δ); 1/T, at most 1/2, by default.
        """
        horizon = require_integer("horizon", horizon, unit="round")
        scale = require_number("scale", scale, above=0.0)
        delta = min(0.5, 1.0 / horizon) if confidence is None else confidence
        log = math.log(horizon / require_fraction("confidence", delta))
        inside: Any
        if require_known("base", base, ["OFUL", "UCB1"]) == "OFUL":
            spread = math.sqrt(require_integer("dimension", dimension) * log)
            inside = LinUCB(noise=0.0, parameter_norm=8.0 * spread, ridge=1.0)
            root, linear = 4.0 * spread * spread, 0.0
        else:
            linear = require_integer("n_arms", n_arms) * log
            inside, root = UCB1(fixed_log=log), math.sqrt(linear)
        threshold = scale * 6.0 * (math.log2(horizon) + 1.0) * log
        return cls(inside, root, linear, threshold, horizon.bit_length() - 1)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> InstancesMemory:
        """Allocate a memory, with room for an instance of every order."""
        n = self.longest_order + 1
        return InstancesMemory(
            stacked(self.base.start(n_arms, dimension, fixed), n),
            np.zeros(n, np.int64),
            np.zeros(n),
            np.zeros(5, np.int64),
            np.zeros(2),
        )

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything and begin with a block of one round."""
        memory.block[BEGUN] = 0
        memory.block[FAILURES] = 0
        self.begin_block(memory, 0)
        self.schedule(memory, luck)

    def begin_block(self, memory: Any, order: int) -> None:
        """Begin a block of 2^order rounds; no instance outlives the block before."""
        for m in range(memory.instances.size):
            memory.instances[m] = 0
            memory.earned[m] = 0.0
        memory.block[ORDER] = order
        memory.block[PASSED] = 0
        memory.sums[LEAST_BOUND] = _NO_BOUND
        memory.sums[EXCESS] = 0.0

    def schedule(self, memory: Any, luck: int) -> None:
        """End the instances whose time is up, draw new ones, let the shortest act."""
        order, passed = memory.block[ORDER], memory.block[PASSED]
        for m in range(order, -1, -1):
            if passed % (1 << m) == 0:
                memory.instances[m] = 0
                if draws.uniform(luck, m) < self.rate_at(1 << order) / self.rate_at(1 << m):
                    memory.block[BEGUN] += 1
                    memory.instances[m] = memory.block[BEGUN]
                    memory.earned[m] = 0.0
                    self.base.restart(layer(memory.bases, m), draws.fork(luck, m + 1))
            if memory.instances[m] > 0:
                memory.block[ACTING] = m

    def rate_at(self, rounds: int) -> float:
        """Return ρ, the regret per round of the base after so many."""
        return self.root / math.sqrt(rounds) + self.linear / rounds

    def choose(self, memory: Any, actions: Matrix, luck: int) -> InstanceChoice:
        """Let the shortest instance choose."""
        m = memory.block[ACTING]
        inner = self.base.choose(layer(memory.bases, m), actions, luck)
        return InstanceChoice(
            inner.arm, inner.propensity, inner.value, m, memory.instances[m], inner
        )

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the instance that chose learn; run the tests; go on in the schedule."""
        m = choice.order
        if choice.instance == memory.instances[m]:
            base = layer(memory.bases, m)
            self.base.learn(base, action, choice.base, reward, draws.fork(luck))
        for k in range(memory.block[ORDER] + 1):
            memory.earned[k] += reward
        if not math.isnan(choice.value):
            memory.sums[LEAST_BOUND] = min(memory.sums[LEAST_BOUND], choice.value)
            memory.sums[EXCESS] += choice.value - reward
        memory.block[PASSED] += 1
        if self.has_failed(memory):
            memory.block[FAILURES] += 1
            self.begin_block(memory, 0)
        elif memory.block[PASSED] == 1 << memory.block[ORDER]:
            self.begin_block(memory, min(memory.block[ORDER] + 1, self.longest_order))
        self.schedule(memory, luck)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the instance that chose of a decision in flight."""
        m = choice.order
        if choice.instance == memory.instances[m]:
            expect(self.base, layer(memory.bases, m), action, choice.base, draws.fork(luck))

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the instance that chose that a decision is in flight no longer."""
        m = choice.order
        if choice.instance == memory.instances[m]:
            settle(self.base, layer(memory.bases, m), action, choice.base, draws.fork(luck))

    def has_failed(self, memory: Any) -> bool:
        """Run both tests."""
        passed = memory.block[PASSED]
        for m in range(memory.block[ORDER] + 1):
            length = 1 << m
            if memory.instances[m] > 0 and passed % length == 0:
                limit = memory.sums[LEAST_BOUND] + 9.0 * self.threshold * self.rate_at(length)
                if memory.earned[m] / length >= limit:
                    return True
        return bool(memory.sums[EXCESS] / passed >= 3.0 * self.threshold * self.rate_at(passed))

    def accepts(self, choice: Any) -> bool:
        """Return whether a choice can be learnt from, wherever it was kept; runs in Python only."""
        return (
            type(choice) is InstanceChoice
            and 0 <= choice.order <= self.longest_order
            and choice.instance >= 1
            and not math.isinf(choice.value)
            and is_accepted(self.base, choice.base)
            and choice.base.arm == choice.arm
        )

    def estimate_in(self, memory: Any) -> Vector:
        """Return the estimate of the instance that acts; runs in Python only."""
        return estimate_of(self.base, layer(memory.bases, memory.block[ACTING]))

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells: what the acting instance believes; in Python only."""
        order, passed, acting, _, failures = memory.block.tolist()
        opening = (
            f"An instance scheduled for {1 << acting:,} rounds acts, in a block of {1 << order:,}"
        )
        alive = [1 << m for m in range(order + 1) if memory.instances[m] > 0]
        details = {"block_length": 1 << order, "rounds_in_block": passed, "instances": alive}
        details["restarts"] = failures
        return belief_of(self.base, layer(memory.bases, acting), opening, details)
