"""Optimism without tuning: a mixture of Kalman filters that estimates drift and noise by itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.limits import MOST
from ..core.base.validation import require_between, require_number
from ..core.compiler.compiled import compilable
from ..core.explain.belief import Belief
from ..core.explain.mixture_belief import mixture_belief
from ..core.models.kalman.layouts import begin_memory

__all__ = ["AdaptiveUCB"]


@described(
    Card(
        source="this package",
        knows="nothing; a bound on the parameter is optional",
        cost="(14 + K) d^2; 14 K for arms",
        guarantee="none proved; measured on the scoreboard",
    )
)
@compilable
class AdaptiveUCB(NamedTuple):
    r"""Plays the action that is best by an optimistic mixture of Kalman filters; knows no drift.

    Filter j takes it that means move by N(0, κ_j R_j²) in every round. It has its own estimate R_j of
    the noise, and filters are weighted by how well they predicted. What went unseen for long is
    looked at every now and then, for an action that is never played can improve in silence, and is
    taken to have jumped if it surprises.

    *Arms, with no bound told* (a fixed decision set with one row on each axis). Neither units nor
    offset of rewards matter. Filter j has a mean m_j of each arm and its variance p_j R_j²; an arm's
    first reward is its mean, with p_j = 1. With m̄ and C the mean and the variance of the mixture, R²
    the mean of R_j², W how far the means of arms are apart, S = W + R, N the decisions of the arm that
    wait for a reward, and u how long it went unseen, it plays an arm never seen, or one with

    .. math::
       \frac{u'}{1 + (g / 4R)^2} &> \text{a threshold, drawn from (.5, 1.5) at every visit}, \\
       u' = \frac{u}{1 + N u S^2 / R^2}, &\qquad g = \max \bar m - \bar m + \sqrt C,

    or, mostly, the one with the largest

    .. math:: \bar m + c \sqrt{C'}, \qquad C' = \frac{C}{1 + N C / R^2},

    ties broken at random. A decision in flight counts exp(-age / (delay + 1)), with delay the mean age
    of rewards when they come. With v = u / (1 + u), filter j takes it that with probability
    p = doubt v³ the mean has moved by N(0, b), b = max(v (W + min(R, W))² - p_j R_j², 0). After the
    reward y, with e = y - m_j, s = R_j² (1 + p_j), N the normal density, with no more than 20 for its
    e² / s, and α = min(sharing, 1 / (t + sharing_delay)),

    .. math::
       w_j &\leftarrow \left((1 - \alpha) w_j + \frac{\alpha}{M}\right)
          \left((1 - p) N(e; s) + p N(e; s + b)\right), \\
       m_j &\leftarrow m_j + \frac{p_j}{1 + p_j} e, \qquad p_j \leftarrow \frac{p_j}{1 + p_j}, \\
       R_j^2 &\leftarrow R_j^2 + \frac{\min(e^2, 9 s) (R_j^2 / s)^2 + (p_j R_j^2 / s) R_j^2 - R_j^2}
          {\min(t + 2, 300)},

    if there was no jump; if there was one, p_j R_j² + b takes the place of p_j R_j². The filter goes on
    with the mean and the variance of these two, weighted by how likely they are now. Then u shrinks
    to u / (1 + u S² / R²). Before the next round p_j grows by κ_j max(1, .1 √κ_j D), D the rewards since
    the arm was seen, towards S² / R_j² at most, and u by .5 min(1, W / R)^.75 / √(K (t + 1)).

    *Clicks.* While rewards have had two values only, means are rates x of the second value, R_j² is
    x (1 - x), the likelihoods are those of Bernoulli, and a jump leads to the best rate of all arms. A
    third value turns them into amounts. After 50 rewards, as soon as either value has 15 % of them, the
    policy takes them for coins: no rate is beyond 1, so that filters learn rates as amounts with S = 1, a
    jump is up to v, and u leads to looks as under *A bound told* below, with a row of length 1.

    *Other decision sets, with no bound told.* Each feature is measured by its size, the root of the mean
    square of its entries in the first 64 actions played that were not zero, rewards by the mean and the
    spread of the first 64 (without one that makes the spread a hundred times as large), and a constant stands
    beside the features: one for all, or one for each block where actions touch one block of features each. In
    these units filters learn as below, with
    N(0, 100 I) at first, S = 1.4 W + R, W the largest of (\|x'm̄\| - √(x'Cx)) / ‖x‖ over actions played, which
    fades, and with looks as above, where u = x'Ux / x'x. What is in flight counts by
    C' = (C⁻¹ + N / R²)⁻¹, N the sum of xx' over it, and u shrinks as x'Cx does. If the first 64 rewards, or more,
    had two values, they are clicks: an action has the rate μ(ln(π / (1 - π)) + x'θ / √(π (1 - π))) of the higher
    value, with μ(z) = 1 / (1 + e^(-z)) and π the rate until then. Filters start from a variance of 4 in log-odds,
    and no variance grows beyond; they go to the most probable log-odds, and are weighted by the likelihoods of
    Bernoulli. A third value turns them into amounts.

    *A bound told* (``parameter_norm``). Filter j has a mean m_j and a covariance P_j of θ, starting from 0 and S² I, and R_j starts from S L / 2. U is
    to P_j what u is to p_j above: u = x'Ux / x'x, and beside its estimate, which counts 1, the best that
    could be true of x counts h = ln(1 + u). It plays

    .. math:: \arg\max_x \max\left\{x'\bar m + c \sqrt{x'Cx},\;
       \frac{x'\bar m + h S \lVert x \rVert}{1 + h}\right\}.

    A jump moves θ along z = Ux / x'Ux, with b = max(v S² / ‖z‖² - x'P_j x, 0) and s = R_j² + x'P_j x; in what
    it adds to the covariance, e² counts for 20 s at most. Then U loses Uxx'U / (x'Ux + R² / S²). Before
    the next round P_j grows to (1 - q / S²) P_j + q I, q = min(κ_j R_j² / L², S²), and U by r I,
    r = 0.08 / (t + 1)^0.4. A reward that comes late is learnt from as if it came now.

    Parameters
    ----------
    parameter_norm
        Bound on the mean reward of an action over its length (S): ``|x'θ| ≤ S ‖x‖``, if it is known. The
        length of the unknown parameter is such a bound; for arms, the largest mean is. If it is too
        small, an action that was never played may never be, and hidden improvements are missed. If it
        is three times too large, exploring costs more: regret about doubles in the geometric mean over
        all scenarios, and is about five times as large where nothing changes, or little and late
        (docs/scoreboard.md). With a bound, neither clicks nor decisions in flight are told apart.
    action_norm
        Bound on the length of an action (L); counts with ``parameter_norm`` only. With twice the length
        and half the parameter nothing changes.
    width
        How optimistic to be, in standard errors of the mixture (c).
    slowest_drift, fastest_drift, drift_ratio
        The grid of κ: 0, then from the slowest to the fastest, each so many times the last. By
        default 14 filters.
    sharing, sharing_delay
        How much of its weight a filter shares with the others in a round (α): at most the first,
        and one part in t plus the second.
    doubt
        How likely it is that an action has jumped which was not seen for very long (p).
    probing, probing_decay
        With a bound: how fast unseen directions become due, the 0.08 in r, and the power of t + 1, 0.4.
    error_cap, noise_cap
        How many squared standard errors a surprise counts for at most, for weights and chances
        (20) and for the noise (9).
    noise_memory
        Rounds over which the noise is averaged (300).
    first_noise
        With a bound: what the noise R_j is taken to be at the start, as a part of S L.
    least_noise
        No noise is taken to be less than this part of S L; with no bound told, of S.

    Notes
    -----
    There is no proof: c = 2 is not a confidence bound. `SlidingWindowUCB` and `BanditOverBandit`
    have guarantees.

    It is weak where exploration is wasted: in a calm world with little noise; where rewards come as late
    as the world changes. It is weak after one improvement that comes unseen after a very long calm; with
    nearly collinear actions whose unseen direction drifts; and with slow rotation under fresh actions,
    which prediction errors hardly show. docs/adaptive.md has the numbers.

    With no bound told a reward counts for no more than 1,000 S from what was expected: one in another unit, or
    entered wrongly, is got over. An arm is shunned for long after so large a loss, and one of the first rewards of
    an arm may mislead for long. Where most amounts are alike, as where most visitors buy nothing, no R_j² is
    below what all errors say, uncapped, times the share of rewards with one of the first two values.

    Told a bound, rewards beyond ±S L break it. An action of more than 100 times ``action_norm`` is
    learnt from as if it were that long and its reward smaller in proportion. A reward farther off than
    10^12 S counts as that.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Sinusoid(horizon=5000, variation=5.0, noise=0.1)
    >>> best_window = min(
    ...     dw.simulate(dw.SlidingWindowUCB(window, 0.1, confidence=1 / 5000), world).total_regret
    ...     for window in (100, 200, 400, 800)
    ... )
    >>> dw.simulate(dw.AdaptiveUCB(), world).total_regret < best_window
    True
    """

    parameter_norm: float | None = None
    action_norm: float | None = None
    width: float = 2.0
    slowest_drift: float = 4.0**-10
    fastest_drift: float = 16.0
    drift_ratio: float = 4.0
    sharing: float = 0.05
    sharing_delay: float = 10.0
    doubt: float = 0.5
    probing: float = 0.08
    probing_decay: float = 0.4
    error_cap: float = 20.0
    noise_cap: float = 9.0
    noise_memory: float = 300.0
    first_noise: float = 0.5
    least_noise: float = 1e-5

    def _check(self) -> None:
        for name in ("parameter_norm", "action_norm"):
            if getattr(self, name) is not None:
                require_between(name, getattr(self, name), 1e-30, 1e30)
        require_number("width", self.width, at_least=0.0)
        require_between("slowest_drift", self.slowest_drift, 1e-30, 1e30)
        require_between("fastest_drift", self.fastest_drift, self.slowest_drift, 1e30)
        require_number("drift_ratio", self.drift_ratio, at_least=1.01)
        # A share of nothing would have no logarithm.
        require_between("sharing", self.sharing, 1e-12, 1.0)
        require_between("sharing_delay", self.sharing_delay, 1.0, 1e12)
        require_between("doubt", self.doubt, 0.0, 1.0)
        require_number("probing", self.probing, at_least=0.0)
        require_number("probing_decay", self.probing_decay, at_least=0.0)
        # Its exponential, over the least variance of all, must be a number.
        require_between("error_cap", self.error_cap, 1e-6, 200.0)
        require_number("noise_cap", self.noise_cap, above=0.0)
        require_number("noise_memory", self.noise_memory, at_least=2.0)
        require_between("least_noise", self.least_noise, 1e-6, 1.0)
        require_between("first_noise", self.first_noise, self.least_noise, 1e6)

    @classmethod
    def tuned(cls) -> AdaptiveUCB:
        """Return the policy as it is: there is nothing to tune, and nothing that it must be told."""
        return cls()

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory."""
        return begin_memory(self, n_arms, dimension, fixed)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything."""
        memory.restart(self, luck)

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Any:
        """Return the row that is best by the optimistic mixture, or due to be looked at."""
        return memory.choose(self, actions, luck)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Let all filters learn, reweigh them, and prepare the next round."""
        memory.learn(self, action, choice, reward, luck)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision whose reward is late."""
        memory.expect(self, action, choice, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count it no more: its reward has come, or never will."""
        memory.settle(self, action, choice, luck)

    def tick(self, memory: Any) -> None:
        """Let a round pass in which nothing was learnt."""
        memory.tick(self)

    def accepts(self, choice: Any) -> bool:
        """Return whether a record can be learnt from; in Python only."""
        tick = getattr(choice, "tick", None)
        return self.parameter_norm is not None if tick is None else _is_tick(tick)

    def estimate_in(self, memory: Any) -> Vector:
        """Return the mean of the mixture; runs in Python only."""
        return memory.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        return mixture_belief(memory, self.width, self.parameter_norm)


def _is_tick(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= MOST
