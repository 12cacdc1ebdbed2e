"""Sampling bad arms again, in case they changed (Auer, Gajane and Ortner, 2019)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import compilable, inlined
from ..core.compiler.elementary import log
from ..core.contract.policy import Choice
from ..core.models.arms import intervals
from ..core.models.arms.intervals import NUMBER, SwitchMemory
from ..core.randomness import draws
from ..core.randomness.ties import better
from .forgetting.counting_flight import CountingFlight

__all__ = ["AdSwitch"]

_LONGEST = 1e15  # rewards: more than an episode holds
_NEAR = 1e-9  # a distance that takes more samples to see than there will ever be


class _Settings(NamedTuple):
    horizon: int
    reward_range: float = 1.0
    eviction: float = 16.1
    check_every: int = 20


@described(
    Card(
        source="Auer, Gajane, Ortner (2019)",
        knows="horizon, range of rewards",
        cost="K times the length of the episode, every check_every rounds; K in the others",
        guarantee="sqrt(K G T log T) for G changes, G unknown, rewards in [0, b]",
        plays="arms",
    )
)
@compilable
class AdSwitch(CountingFlight, _Settings):
    r"""Plays good arms in turn, samples bad ones again at random, restarts after a change.

    An episode begins with all arms good. With means and numbers of rewards in the interval [s, t],
    for any s in the episode and now t, and rewards scaled to [0, 1]:

    1. A good arm is evicted if the best mean of a good arm exceeds its own by
       :math:`\tilde\Delta > \sqrt{C_1 \ln T / (n_{[s,t]} - 1)}`; its mean is kept as
       :math:`\tilde\mu`.
    2. The mean of a good arm has changed if those of [s, t] and of another interval
       :math:`[s_1, s_2]` differ by more than
       :math:`\sqrt{2 \ln T / n_{[s_1,s_2]}} + \sqrt{2 \ln T / n_{[s,t]}}`.
    3. The mean of a bad arm has changed if it differs from :math:`\tilde\mu` by more than
       :math:`\tilde\Delta / 4 + \sqrt{2 \ln T / n_{[s,t]}}`.
    4. A change begins an episode. Without one, in episode l, for each bad arm and each
       :math:`d_i = 2^{-i} \ge \tilde\Delta / 16`, with probability
       :math:`d_i \sqrt{l / (K T \ln T)}`, the arm must be sampled :math:`\lceil 2 \ln T / d_i^2 \rceil`
       times more.
    5. Of all arms that are good or must be sampled it plays the one that has waited longest.

    A late reward counts when it comes. An arm with a decision in flight has not waited at all, and one with
    fewer of them has waited longer.

    Parameters
    ----------
    horizon
        How many rounds there will be (T), and how many rewards an episode can hold: after as many
        the next one begins.
    reward_range
        Width of the interval that rewards lie in.
    eviction
        How sure an eviction is (C_1). The analysis needs more than 16.
    check_every
        How many rewards of an episode come between two checks: steps 1 to 3.

    Notes
    -----
    The steps were taken from memory of the paper, and compared with the one public implementation,
    ``AdSwitchNew`` of SMPyBandits, which agrees in 1, 2, 3 and 5, and from which C_1 = 16.1 comes.
    It differs in 4, where it asks for :math:`d_i \ge \tilde\Delta`; there the paper is followed. If
    an arm can be evicted for several s, the smallest counts, as in that code. Should all good arms
    be evicted at once, which the analysis excludes, a new episode begins.

    In practice the samples of step 4 are expensive: at T = 10,000 they fill most rounds in which there is
    a bad arm, and it takes horizons of a million to make them rare.

    A check looks at all s in one pass: O(K n) for the n rewards of the episode. Step 2 needs no
    third loop, because an interval that differs from another differs from the extreme one. With
    ``check_every`` above 1, intervals end at checks only.

    References
    ----------
    Auer, Gajane and Ortner (2019). Adaptively tracking the best bandit arm with an unknown number of
    distribution changes. COLT.

    Examples
    --------
    >>> from driftwise.policies.ad_switch import AdSwitch
    >>> AdSwitch.tuned(horizon=10_000, n_arms=3)
    AdSwitch(horizon=10000, reward_range=1.0, eviction=16.1, check_every=20)
    """

    __slots__ = ()

    def _check(self) -> None:
        require_integer("horizon", self.horizon, unit="round")
        require_number("reward_range", self.reward_range, above=0.0)
        require_number("eviction", self.eviction, above=0.0)
        require_integer("check_every", self.check_every, unit="round")

    @classmethod
    def tuned(cls, *, horizon: int, n_arms: int, reward_range: float = 1.0) -> AdSwitch:
        """Return the policy for T rounds; it needs to know nothing about changes."""
        require_integer("n_arms", n_arms)
        return cls(horizon, reward_range)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> SwitchMemory:
        """Allocate a memory."""
        return intervals.begin(n_arms, self.horizon)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.pending.land_all()
        memory.episode[NUMBER] = 0
        intervals.begin_episode(memory)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the arm that has waited longest, of those that are good or must be sampled."""
        best, wait, ties = 0, -math.inf, 0
        for arm in range(memory.counts.size):
            flying = memory.pending.number_of(arm)
            if not memory.is_bad[arm] or memory.counts[arm] + flying < memory.targets[arm]:
                waited = -memory.latest[arm] - _LONGEST * flying
                best, wait, ties = better(arm, waited, best, wait, ties, luck)
        return Choice(best, 1.0 / ties, math.nan)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Note the reward; look for changes and bad arms; ask for samples of those."""
        memory.pending.hear()
        n_rewards = intervals.note(memory, choice.arm, reward)
        is_over = n_rewards >= self.horizon
        if n_rewards % self.check_every == 0:
            logarithm = _log_horizon(self)
            is_changed = intervals.has_changed(memory, self.reward_range, self.eviction, logarithm)
            is_over = is_changed or intervals.evict(memory) == 0 or is_over
        if is_over:
            intervals.begin_episode(memory)
        else:
            _ask_for_samples(self, memory, luck)


@inlined
def _ask_for_samples(policy: AdSwitch, memory: SwitchMemory, luck: int) -> None:
    """Draw for each bad arm whether, and how often, it must be sampled in the next rounds."""
    n_arms, logarithm, i = memory.counts.size, _log_horizon(policy), 0
    rate = math.sqrt(memory.episode[NUMBER] / (n_arms * policy.horizon * logarithm))
    for arm in range(n_arms):
        if memory.is_bad[arm]:
            distance = 0.5
            while distance > _NEAR and 16.0 * distance * policy.reward_range >= memory.gaps[arm]:
                if draws.uniform(luck, i) < distance * rate:
                    # All that was asked for before is asked for by the largest target.
                    target = memory.counts[arm] + 2.0 * logarithm / (distance * distance)
                    memory.targets[arm] = max(memory.targets[arm], target)
                distance *= 0.5
                i += 1


@inlined
def _log_horizon(policy: AdSwitch) -> float:
    """Return ln T, at least 1."""
    return max(1.0, log(policy.horizon))
