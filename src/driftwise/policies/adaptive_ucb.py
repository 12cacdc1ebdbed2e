"""Optimism without tuning: a mixture of Kalman filters that estimates drift and noise by itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_between, require_number
from ..core.compiler.compiled import compilable
from ..core.compiler.optional import told
from ..core.explain.belief import Belief
from ..core.explain.mixture_belief import mixture_belief
from ..core.models.kalman.layouts import begin_memory

__all__ = ["AdaptiveUCB"]


@described(
    Card(
        source="this package",
        knows="bound on the parameter",
        cost="(14 + K) d^2; 14 d + K if its rows lie on the axes",
        guarantee="none proved; measured on the scoreboard",
    )
)
@compilable
class AdaptiveUCB(NamedTuple):
    r"""Plays the action that is best by an optimistic mixture of Kalman filters; knows no drift.

    Filter j takes it that θ moves by N(0, κ_j R_j² I / L²) in every round. It has a mean m_j, a
    covariance P_j, starting from 0 and S² I, and its own estimate R_j of the noise, starting from
    S L / 2. Filters have equal weights at first and are weighted by how well they predicted. Every
    now and then a direction that went unseen for long is probed, for an action that is never played
    can improve in silence: u = x'Ux / x'x says how long, and beside its estimate, which counts 1,
    the best that could be true of x counts h = ln(1 + u). With the mean m̄ and the covariance C of
    the mixture it plays

    .. math:: \arg\max_x \max\left\{x'\bar m + c \sqrt{x'Cx},\;
       \frac{x'\bar m + h S \lVert x \rVert}{1 + h}\right\},

    ties broken at random. What went unseen may also have jumped. With v = u / (1 + u), filter j
    takes it that with probability p = doubt v³ the reward of x has moved by N(0, b) along
    z = Ux / x'Ux, with b = max(v S² / ‖z‖² - x'P_j x, 0). After the reward y, with e = y - x'm_j,
    s = R_j² + x'P_j x, N the normal density, with no more than 20 for its e² / s, and
    α = min(sharing, 1 / (t + sharing_delay)),

    .. math::
       w_j &\leftarrow \left((1 - \alpha) w_j + \frac{\alpha}{M}\right)
          \left((1 - p) N(e; s) + p N(e; s + b)\right), \\
       m_j &\leftarrow m_j + P_j x \frac{e}{s}, \qquad P_j \leftarrow P_j - \frac{P_j xx'P_j}{s}, \\
       R_j^2 &\leftarrow R_j^2 + \frac{\min(e^2, 9 s) (R_j^2 / s)^2 + (x'P_j x / s) R_j^2 - R_j^2}
          {\min(t + 2, 300)},

    if there was no jump. If there was one, s + b and P_j + b zz' take the places of s and P_j. The
    filter goes on with the mean and the covariance of these two, weighted by how likely they are
    now, and with R_j² weighted alike; in what their distance adds to the covariance, e² counts for
    20 s at most. Then U loses Uxx'U / (x'Ux + R̄² / S²). Before the next round P_j grows to
    (1 - q / S²) P_j + q I, q = min(κ_j R_j² / L², S²), and U by r I, r = 0.08 / (t + 1)^0.4. A reward
    that comes late is learnt from as if it came now.

    Parameters
    ----------
    parameter_norm
        Bound on the mean reward of an action over its length (S): ``|x'θ| ≤ S ‖x‖``. The length of the
        unknown parameter is such a bound; for arms, the largest mean is. If it is too small, an
        action that was never played may never be, and hidden improvements are missed. If it is
        three times too large, exploring costs more: regret about doubles in the geometric mean over
        all scenarios, and is about five times as large where nothing changes, or little and late
        (docs/scoreboard.md).
    action_norm
        Bound on the length of an action (L). With twice the length and half the parameter
        nothing changes.
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
        How fast unseen directions become due: the 0.08 in r, and the power of t + 1, 0.4.
    error_cap, noise_cap
        How many squared standard errors a surprise counts for at most, for weights and chances
        (20) and for the noise (9).
    noise_memory
        Rounds over which the noise is averaged (300).
    first_noise
        What the noise R_j is taken to be at the start, as a part of S L.
    least_noise
        No noise is taken to be less than this part of S L.

    Notes
    -----
    There is no proof: c = 2 is not a confidence bound. `SlidingWindowUCB` and `BanditOverBandit`
    have guarantees. Rewards beyond ±S L break it: rescale them, or S.

    It is weak where probing is a waste: in a stationary world an action that is behind by g is
    probed about 0.13 T^0.6 / (exp(g / (S - best)) - 1) times. It is weak after one improvement that
    comes unseen after a very long calm, and is found after some 12 T^0.4 (exp(g / (S - best)) - 1)
    rounds; with nearly collinear actions whose unseen direction drifts; and with slow rotation
    under fresh actions, which prediction errors hardly show. What the probe owes to measurements
    is told in docs/scoreboard.md.

    An action of more than 100 times `action_norm` is learnt from as if it were that long and its
    reward smaller in proportion. A reward beyond 10^12 S L counts as that.

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
    def tuned(
        cls, *, parameter_norm: float | None = None, action_norm: float | None = None
    ) -> AdaptiveUCB:
        """Return the policy as it is: there is nothing to tune."""
        return cls(parameter_norm, action_norm)

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

    def estimate_in(self, memory: Any) -> Vector:
        """Return the mean of the mixture; runs in Python only."""
        return memory.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        return mixture_belief(memory, self.width, told(self.parameter_norm, 1.0))
