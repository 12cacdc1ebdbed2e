"""A log-barrier bandit over policies of any kind: CORRAL (Agarwal et al., 2017)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.errors import RuleTypeError, RuleValueError
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.contract.policy import is_accepted
from ..core.contract.several import choose_each, heads_of, learn_one, restart_each, tell_one
from ..core.models.arms.log_barrier import descend
from ..core.models.arms.weights import pick
from ..core.randomness import draws
from .over_policies import is_policy
from .sliding_window_ucb import SlidingWindowUCB

__all__ = ["Corral"]


@compilable
class CorralChoice(NamedTuple):
    """The choices of all bases, and whose was played."""

    arm: int
    propensity: float
    value: float
    drawn: int  # index of the base that was followed
    chance: float  # probability with which it was drawn
    bases: Any  # a tuple: every base's own choice


@compilable
class CorralMemory(NamedTuple):
    """What `Corral` has learnt."""

    bases: Any  # a tuple: the memory of every base
    shares: Vector  # (M,), the distribution that learns (p)
    chances: Vector  # (M,), the same with a little of the uniform one: what is drawn from
    rates: Vector  # (M,), learning rate of each base (η)
    limits: Vector  # (M,), what 1 / chance must exceed for the rate to grow (ρ)
    inverses: Vector  # (M,), scratch: 1 / share before the sum is brought back to one


@described(
    Card(
        source="Agarwal, Luo, Neyshabur, Schapire (2017)",
        knows="horizon; noise and bound on the parameter for its default bases",
        cost="that of all its bases, and 64 M",
        guarantee="near its best base, if every base stays good when it is drawn rarely and sees "
        "weighted rewards; rewards in [0, 1]",
    )
)
@compilable
class Corral(NamedTuple):
    r"""Learns which of several policies to follow, which may be of different kinds.

    Every base says what it would play. Base i is drawn with probability
    :math:`\bar p_i = (1 - \gamma) p_i + \gamma / M` and its choice is played. With the loss
    :math:`\hat\ell_i = (1 - Y) / \bar p_i` of the base drawn and 0 of all others, p moves by mirror
    descent with a log-barrier,

    .. math:: \frac{1}{p_i} \leftarrow \frac{1}{p_i} + \eta_i (\hat\ell_i - \lambda),

    with λ such that p sums to one. Whenever :math:`1 / \bar p_i` exceeds ρ_i, which is 2M at first,
    ρ_i becomes :math:`2 / \bar p_i` and η_i grows by the factor β: a base that is drawn rarely can
    come back faster.

    Parameters
    ----------
    bases
        A tuple of policies.
    rate
        Learning rate of all bases at first (η).
    mixing
        Share of uniform draws (γ), in (0, 1].
    growth
        By what factor a rate grows (β), in [1, 10].
    is_weighted
        Whether the base drawn learns from the reward divided by :math:`\bar p_i`, or from the reward
        as it is.

    Notes
    -----
    In the original every base learns in every round, those that were not drawn from a loss of 0 for
    what they would have played. Here they learn nothing: the rows that they named are gone when the
    reward comes. Nor is a base restarted when its ρ grows, since a base here does not ask for the
    range of its rewards. Bases that weigh each reward as evidence, such as those built on upper
    confidence bounds, take a weighted reward for a large one; Pacchiano et al. (2020) let the base
    drawn learn from the reward as it is (taken from memory, not from their text). Measured once,
    on 20 runs of `Switching` with 10,000 rounds, 4 changes, 3 dimensions, noise 0.1, and the default
    bases of `tuned`: a regret of 616 ± 64 (standard error) with weights, 483 ± 54 without, while the
    bases alone lost 498 ± 12, 220 ± 20 and 748 ± 153.

    Rewards are taken as they come; the guarantee is for rewards in [0, 1]. A late reward is weighed
    by the probability of the day of the choice. The propensity of a choice is known (not nan) where
    the bases that would have played another row leave nothing to chance.

    References
    ----------
    Agarwal, Luo, Neyshabur and Schapire (2017). Corralling a band of bandit algorithms. COLT.

    Pacchiano, Phan, Abbasi-Yadkori, Rao, Zimmert, Lattimore and Szepesvari (2020). Model selection
    in contextual stochastic bandit problems. NeurIPS.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy = dw.Corral.tuned(horizon=10_000, noise=0.1)
    >>> [base.window for base in policy.bases]
    [100, 1000, 10000]
    >>> mixed = policy._replace(bases=(dw.LinUCB(noise=0.1), dw.Exp3(mixing=0.1)))
    """

    bases: Any  # any sequence of policies; kept as a tuple
    rate: float
    mixing: float
    growth: float
    is_weighted: bool = True

    def _check(self) -> None:
        is_tuple = isinstance(self.bases, tuple) and not hasattr(self.bases, "_fields")
        if not is_tuple or not all(map(is_policy, self.bases)):
            raise RuleTypeError("bases", "be a tuple of policies", self.bases)
        # Within these bounds no weight can underflow, and no rate overflow, whatever is earned.
        require_number("rate", self.rate, above=0.0, at_least=1e-30)
        require_fraction("mixing", self.mixing, inclusive=True)
        require_number("mixing", self.mixing, at_least=1e-15)
        if require_number("growth", self.growth, at_least=1.0) > 10.0:
            raise RuleValueError("growth", "not exceed 10", self.growth)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        bases: Any = None,
        is_weighted: bool = True,
    ) -> Corral:
        """Return the policy with γ = 1/T, β = exp(1 / ln T) and η = √(M/T).

        In the paper η is the smaller of a term like √(M/T) and one that takes the regret of the best
        base, which is not known; the constants are not the paper's.

        Parameters
        ----------
        horizon
            How many rounds there will be (T).
        noise, action_norm, parameter_norm, ridge
            Settings of the bases, if these are left out.
        bases
            What to choose from; `SlidingWindowUCB` with windows of √T, T^(3/4) and T rounds, and
            δ = 1/T, by default.
        is_weighted
            As in the class.
        """
        horizon = require_integer("horizon", horizon, unit="round")
        if bases is None:
            windows = [max(1, round(horizon**power)) for power in (0.5, 0.75, 1.0)]
            settings = noise, action_norm, parameter_norm, ridge, 1.0 / horizon
            bases = tuple(SlidingWindowUCB(window, *settings) for window in windows)
        growth = math.exp(1.0 / math.log(max(horizon, 2)))  # with one round, of no consequence
        policy = cls(bases, 1.0, 1.0 / horizon, growth, is_weighted)
        return policy._replace(rate=math.sqrt(len(policy.bases) / horizon))

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> CorralMemory:
        """Allocate a memory of every base."""
        # Where a point is written into the row on offer, the bases would overwrite each other's:
        # a decision set without rows does not pass this line.
        rows = None if fixed is None else np.asarray(fixed)
        inside = tuple(base.start(n_arms, dimension, rows) for base in self.bases)
        return CorralMemory(inside, *(np.zeros(len(inside)) for _ in range(5)))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        n = memory.shares.size
        for i in range(n):
            memory.shares[i] = 1.0 / n
            memory.chances[i] = 1.0 / n
            memory.rates[i] = self.rate
            memory.limits[i] = 2.0 * n
            memory.inverses[i] = 0.0
        restart_each(self.bases, memory.bases, luck)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> CorralChoice:
        """Ask all bases, and follow one of them by its chance."""
        drawn = pick(memory.chances, luck)
        choices = choose_each(self.bases, memory.bases, actions, draws.fork(luck))
        heads = heads_of(choices)
        arm, _, value = heads[drawn]
        propensity = 0.0
        for i in range(len(heads)):
            if heads[i][0] == arm:
                propensity += memory.chances[i] * heads[i][1]
            elif heads[i][1] != 1.0:  # it might have played this row, we cannot tell how often
                propensity = math.nan
        if propensity > 1.0:  # by rounding
            propensity = 1.0
        return CorralChoice(arm, propensity, value, drawn, memory.chances[drawn], choices)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the base that was followed learn, and move the chances of all."""
        seen = reward / choice.chance if self.is_weighted else reward
        learn_one(
            choice.drawn, self.bases, memory.bases, action, choice.bases, seen, draws.fork(luck)
        )
        loss, n = (1.0 - reward) / choice.chance, memory.shares.size
        descend(memory.shares, memory.rates, memory.inverses, choice.drawn, loss)
        for i in range(n):
            chance = (1.0 - self.mixing) * memory.shares[i] + self.mixing / n
            memory.chances[i] = chance
            if 1.0 / chance > memory.limits[i]:
                memory.limits[i] = 2.0 / chance
                memory.rates[i] *= self.growth

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the base that was followed of a decision in flight; the others learn nothing of it."""
        tell_one(
            choice.drawn, self.bases, memory.bases, action, choice.bases, draws.fork(luck), False
        )

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the base that was followed that a decision is in flight no longer."""
        tell_one(
            choice.drawn, self.bases, memory.bases, action, choice.bases, draws.fork(luck), True
        )

    def accepts(self, choice: Any) -> bool:
        """Return whether a choice can be learnt from, wherever it was kept; runs in Python only."""
        return (
            type(choice) is CorralChoice
            and type(choice.bases) is tuple
            and len(choice.bases) == len(self.bases)
            and 0 <= choice.drawn < len(self.bases)
            and self.mixing / len(self.bases) <= choice.chance <= 1.0
            and all(map(is_accepted, self.bases, choice.bases))
            and choice.bases[choice.drawn].arm == choice.arm
        )
