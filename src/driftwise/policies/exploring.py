"""Any policy, and now and then any row: so that its log can be used to evaluate others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.errors import RuleTypeError
from ..core.base.validation import require_fraction, require_integer
from ..core.compiler.compiled import compilable
from ..core.contract import optional
from ..core.contract.played import as_played
from ..core.contract.policy import is_accepted
from ..core.explain.belief import Belief
from ..core.randomness import draws
from .over_policies import belief_of, estimate_of, is_policy, told_as
from .sliding_window_ucb import SlidingWindowUCB

__all__ = ["Exploring"]

# Numbers that are drawn from the luck of a round. The policy inside draws from forks of it: what it
# chooses and whether that is played must not depend on each other.
EXPLORES, ANY_ROW, FOLLOWED = range(3)


@compilable
class ExploringChoice(NamedTuple):
    """What was played, and the choice of the policy inside as if it had chosen that."""

    arm: int
    propensity: float
    value: float
    inside: Any


@compilable
class ExploringMemory(NamedTuple):
    """What the policy inside has learnt."""

    inside: Any


@described(
    Card(
        source="epsilon-greedy exploration, such as Langford, Zhang (2007)",
        knows="what the policy inside must know",
        cost="that of the policy inside, for each draw",
        guarantee="that of the policy inside, and at most share times the mean gap per round",
    )
)
@compilable
class Exploring(NamedTuple):
    r"""Plays what another policy chooses, and with a small probability any row: its logs can be used.

    With probability ε it plays one of the K rows, uniformly at random; otherwise row k, which the policy
    inside has chosen. Any row j is then played with probability

    .. math:: p_j = \frac{\varepsilon}{K} + (1 - \varepsilon) \mathbb{1}\{j = k\},

    given what the policy inside drew. That is exact also where its own propensity is not known, as in
    Thompson sampling, or where rows tie: what it drew does not depend on rewards, so that a reward
    over its propensity is unbiased for every row. If the policy inside keeps the chances of its arms,
    as `Exp3` does, these take the place of the indicator.

    The policy inside learns from all rounds, as if it had chosen what was played.

    Parameters
    ----------
    policy
        What decides in all other rounds; it may play arms or actions, not the unit ball.
    share
        Share of rounds that explore (ε), in (0, 1].
    draws
        How many times the policy inside is asked, each time with different luck (M); one of the answers
        is followed, and the share of those that are j takes the place of the indicator. What is
        played has the same law, but estimates made from the log vary less if the policy inside draws.

    Notes
    -----
    The price is ε times the mean gap in each round. The weights of an estimate are at most K / ε. For a
    policy that never plays what this one does, the mean reward is known after n rounds up to about
    :math:`2 s \sqrt{K / (\varepsilon n)}`, with the standard deviation s of rewards.

    Equal rows count each for itself.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.Exploring(dw.UCB1(), share=0.1), n_arms=4, seed=0, is_interpreted=True)
    >>> sorted({round(agent.choose().propensity, 12) for _ in range(100)})
    [0.025, 0.925]
    """

    policy: Any
    share: float = 0.05
    draws: int = 1

    def _check(self) -> None:
        if not is_policy(self.policy):
            if isinstance(self.policy, type):
                name = self.policy.__name__
                raise TypeError(f"policy must be an instance, {name}(...), got the class {name}")
            raise RuleTypeError("policy", "be a policy", self.policy)
        require_fraction("share", self.share, inclusive=True)
        require_integer("draws", self.draws)

    @classmethod
    @told_as(SlidingWindowUCB.tuned)
    def tuned(
        cls, *, policy: Any = None, share: float = 0.05, draws: int = 1, **facts: Any
    ) -> Exploring:
        """Return the policy around `SlidingWindowUCB` as that is tuned, or around another one.

        Parameters
        ----------
        horizon, dimension, noise, variation, action_norm, parameter_norm, ridge, geometry
            As for `SlidingWindowUCB.tuned`; ignored if a policy is given.
        policy, share, draws
            As in the class.
        """
        return cls(SlidingWindowUCB.tuned(**facts) if policy is None else policy, share, draws)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> ExploringMemory:
        """Allocate a memory of the policy inside."""
        return ExploringMemory(self.policy.start(n_arms, dimension, fixed))

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        self.policy.restart(memory.inside, luck)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> ExploringChoice:
        """Ask the policy inside, and follow it or explore."""
        n_rows = actions.shape[0]
        followed = int(draws.uniform(luck, FOLLOWED) * self.draws)
        own = self.policy.choose(memory.inside, actions, draws.fork(luck, 1 + followed))
        arm = int(own.arm)
        if draws.uniform(luck, EXPLORES) < self.share:
            arm = int(draws.uniform(luck, ANY_ROW) * n_rows)
        chance = optional.chance_of(self.policy, memory.inside, arm)
        if math.isnan(chance):
            is_own = 1.0 if own.arm == arm else 0.0
            wins = is_own
            for i in range(self.draws):
                if i != followed:
                    other = self.policy.choose(memory.inside, actions, draws.fork(luck, 1 + i))
                    wins += 1.0 if other.arm == arm else 0.0
            propensity = self.mixed(wins / self.draws, n_rows)
            # It learns from the draw that was followed, whatever the others were.
            inside = as_played(own, arm, self.mixed(is_own, n_rows))
        else:
            propensity = self.mixed(chance, n_rows)
            inside = as_played(own, arm, propensity)
        return ExploringChoice(arm, propensity, inside.value, inside)

    def mixed(self, chance: float, n_rows: int) -> float:
        """Return the probability of a row that the policy inside plays with some chance."""
        propensity = self.share / n_rows + (1.0 - self.share) * chance
        return propensity if propensity < 1.0 else 1.0  # by rounding

    def chances_in(self, memory: Any, actions: Matrix, luck: int, chances: Vector) -> None:
        """Write the probability of every row, given what the policy inside draws from this luck."""
        n_rows = actions.shape[0]
        for arm in range(n_rows):
            chances[arm] = optional.chance_of(self.policy, memory.inside, arm)
        if math.isnan(chances[0]):
            for arm in range(n_rows):
                chances[arm] = 0.0
            for i in range(self.draws):
                choice = self.policy.choose(memory.inside, actions, draws.fork(luck, 1 + i))
                chances[choice.arm] += 1.0
            for arm in range(n_rows):
                chances[arm] /= self.draws
        for arm in range(n_rows):
            chances[arm] = self.mixed(chances[arm], n_rows)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let the policy inside learn what was played."""
        self.policy.learn(memory.inside, action, choice.inside, reward, luck)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the policy inside what is in flight."""
        optional.expect(self.policy, memory.inside, action, choice.inside, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Tell the policy inside what is in flight no longer."""
        optional.settle(self.policy, memory.inside, action, choice.inside, luck)

    def tick(self, memory: Any) -> None:
        """Tell the policy inside that a round has passed."""
        optional.tick(self.policy, memory.inside)

    def accepts(self, choice: Any) -> bool:
        """Return whether a choice can be learnt from, wherever it was kept; runs in Python only."""
        return (
            type(choice) is ExploringChoice
            and is_accepted(self.policy, choice.inside)
            and choice.inside.arm == choice.arm
        )

    def estimate_in(self, memory: Any) -> Vector:
        """Return the estimate of the policy inside; runs in Python only."""
        return estimate_of(self.policy, memory.inside)

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells: what the policy inside believes; in Python only."""
        opening = f"Any row is played in {self.share:.3g} of all rounds, otherwise"
        return belief_of(self.policy, memory.inside, opening)
