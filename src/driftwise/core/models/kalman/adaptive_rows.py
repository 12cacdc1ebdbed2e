"""What `AdaptiveUCB` has learnt where actions are vectors: a bank of filters, their mixture, a probe.

The interface is that of `driftwise.core.models.kalman.layouts`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base.arrays import Matrix, Vector
from ...compiler.compiled import compilable, inlined
from ...compiler.optional import told
from .arm_flight import TimedChoice
from .lookout import Lookout
from .mixture import MEMORY, ROUNDS, Mixture
from .probe import staleness_rate

__all__ = ["AdaptiveRows"]

# An action more than this many times longer than `action_norm` is shortened, and its reward with
# it. P_j keeps 16 digits below S^2, so the noise must stand out of (100 L)^2 1e-16 S^2.
_LONGEST = 100.0
# A reward beyond this many times S L counts as that: squares of estimates must stay finite.
_LARGEST_REWARD = 1e12


@compilable
class AdaptiveRows(NamedTuple):
    """Filters of a parameter, how far each is believed, and what has changed."""

    filters: Any  # FilterDense, FilterBlocks or FilterAxes
    mixture: Mixture  # how far each filter is believed
    lookout: Lookout  # what has changed

    def restart(self, settings: Any, luck: int) -> None:
        """Write the state in which nothing was learnt."""
        bound, length = bounds_of(settings)
        self.mixture.believe_nothing(settings, bound, length)
        self.lookout.notice_nothing()
        variance = bound * bound
        self.filters.know_nothing(variance, self.unseen_rate(settings), self.mixture)

    def unseen_rate(self, settings: Any) -> float:
        """Return how much staler all directions become before the next round."""
        rounds = self.mixture.tally[ROUNDS]
        return staleness_rate(rounds, settings.probing, settings.probing_decay)

    def choose(self, settings: Any, actions: Matrix, luck: int) -> TimedChoice:
        """Return the row that is best by the optimistic mixture, or due to be probed."""
        bound, _ = bounds_of(settings)
        arm, value, ties = self.filters.promising(actions, settings.width, bound, luck)
        return TimedChoice(arm, 1.0 / ties, value, 0)

    def learn(self, settings: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all filters learn, reweigh them, and prepare the next round."""
        bound, length = bounds_of(settings)
        variance, largest = bound * bound, _LARGEST_REWARD * bound * length
        reward = min(max(reward, -largest), largest)
        longest = _LONGEST * length
        self.filters.predict(action, choice.arm, reward, longest, self.mixture)
        staleness, step = self.filters.see(self.mixture.mean_noise() / variance)
        rounds = self.mixture.tally[ROUNDS]
        if self.lookout.is_return(staleness, rounds):
            self.filters.watch()
            mean, spread = self.filters.outlook()
            self.lookout.keep_an_eye(mean, spread, rounds)
        least = settings.least_noise * bound * length
        self.mixture.reweigh(settings, bound, length, least, staleness, variance * step)
        self.filters.correct(self.unseen_rate(settings), self.mixture)
        rounds += 1.0
        self.lookout.notice(self.mixture.tally[MEMORY], rounds)
        if self.lookout.is_watching():
            mean, spread = self.filters.outlook()
            self.lookout.compare(mean, spread, rounds)

    def solution(self) -> Vector:
        """Return a copy of the estimate; runs in Python only."""
        return self.filters.solution()  # type: ignore[no-any-return]  # of any layout

    def expect(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Take note of a decision whose reward is late; here it makes no difference."""

    def settle(self, settings: Any, action: Vector, choice: Any, luck: int) -> None:
        """Take note that such a decision is settled; here it makes no difference."""

    def tick(self, settings: Any) -> None:
        """Let a round pass in which nothing was learnt."""
        self.filters.rest(self.unseen_rate(settings), self.mixture)


@inlined
def bounds_of(settings: Any) -> tuple[float, float]:
    """Return the bounds on the parameter and on the length of an action, 1 where nothing was told."""
    return told(settings.parameter_norm, 1.0), told(settings.action_norm, 1.0)
