"""A pool of regressions, each dropped once it predicts badly (Wu, Iyer and Wang, 2018)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple

from ..core.base.arrays import Matrix, Vector
from ..core.base.card import Card, described
from ..core.base.validation import require_fraction, require_integer, require_number
from ..core.compiler.compiled import compilable
from ..core.compiler.elementary import log
from ..core.compiler.layers import layer
from ..core.contract.policy import Choice
from ..core.explain.belief import Belief, ridge_belief
from ..core.models.ridge import pool
from ..core.models.ridge.pool import ACTING, BIRTH, BORN, RADIUS, TAKEN, PoolMemory
from .forgetting.linear import confidence_radius, require_linear

__all__ = ["DetectingLinUCB"]


@described(
    Card(
        source="Wu, Iyer, Wang (2018)",
        knows="noise, bound on the parameter",
        cost="K d^2 + models d^2",
        guarantee="sqrt(T) per stationary piece, up to logarithms, if changes are large enough",
    )
)
@compilable
class DetectingLinUCB(NamedTuple):
    r"""Keeps several models, plays by the one that predicts best, drops those that fail.

    A model is a ridge regression with the radius β of `LinUCB`, on its own observations. When a
    reward Y of the action x comes, a model *fails* if

    .. math:: |x^\top \hat\theta - Y| > \beta \|x\|_{V^{-1}} + R \, \Phi^{-1}(1 - \delta_1 / 2),

    and otherwise takes the observation in. Its badness ê is the share of failures among its last
    τ verdicts, n of them so far, known up to :math:`c = \sqrt{\ln(1 / \delta_2) / (2n)}`. A model
    with ê ≥ c + max(δ₁, δ̃) is dropped. If every model has ê ≥ c + δ̃, a new one is begun. The model
    with the smallest :math:`\hat e - \sqrt{\ln \tau} \, c` acts, the oldest of equals; a model without
    verdicts counts as ê = 0 with c = 1/2.

    Parameters
    ----------
    noise, action_norm, parameter_norm, ridge
        As in `LinUCB`.
    confidence
        Probability with which the bounds of a model may fail, and how much badness beyond doubt is
        too much (both δ₁).
    doubt
        Probability with which a badness may be misjudged (δ₂).
    tolerance
        How much badness beyond doubt calls for a new model (δ̃).
    verdicts
        How many of a model's last verdicts count (τ).
    models
        Room of the pool.

    Notes
    -----
    The published pool has no bound; here its room is fixed, since a memory never grows. In a full
    pool a new model takes the place of the one with the largest badness: it is begun only when all
    of them are in doubt, and that one is most. Dropped models leave room, so a pool fills only with
    models between δ̃ and δ₁ beyond doubt; on five drifting worlds of this package, 18,000 rounds on
    each, it never held more than two.

    Rules and defaults are those of the authors' code as adapted by Russac. That code gives β the
    number of rounds since the beginning of time, hence wider bounds to later models; here a model
    counts its own observations, as `LinUCB` would. The guarantee on the card is the paper's as
    remembered, not looked up.

    All models that do not fail learn from every reward but only one acts, so scores of a fixed
    decision set are not kept up to date for each: the layout is the same for all decision sets. A
    late reward is judged by the models of the day on which it comes. Until then its decision counts for the
    widths of the model that acts, which may turn out not to take it in.

    References
    ----------
    Wu, Iyer and Wang (2018). Learning contextual bandits in a non-stationary environment. SIGIR.

    Examples
    --------
    >>> import driftwise as dw
    >>> world = dw.worlds.Switching(horizon=2000, times=[1001], parameters=[[0, 1], [1, 0]])
    >>> policies = [dw.DetectingLinUCB(noise=0.1), dw.LinUCB(noise=0.1)]
    >>> [round(run.total_regret) for run in dw.simulate_all(policies, world)]
    [27, 122]
    """

    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    doubt: float = 0.01
    tolerance: float = 0.002
    verdicts: int = 200
    models: int = 5

    def _check(self) -> None:
        require_linear(self)
        require_fraction("doubt", self.doubt, inclusive=True)
        require_number("tolerance", self.tolerance, at_least=0.0)
        require_integer("verdicts", self.verdicts)
        require_integer("models", self.models)

    @classmethod
    def tuned(
        cls,
        *,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
    ) -> DetectingLinUCB:
        """Return the policy with the published settings; they are the same for any horizon."""
        return cls(noise, action_norm, parameter_norm, ridge)

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> PoolMemory:
        """Allocate a memory, with room for all models."""
        # 5e-324 is the smallest float above 0, where the quantile still exists.
        margin = -self.noise * NormalDist().inv_cdf(max(0.5 * self.confidence, 5e-324))
        return pool.begin_pool(n_arms, dimension, self.models, self.verdicts, margin)

    def restart(self, memory: Any, luck: int) -> None:
        """Forget everything, and begin with one model."""
        memory.pending.land_all()
        for model in range(self.models):
            self.begin_model(memory, model)
            memory.tallies[model, BIRTH] = 0
        memory.pool[ACTING] = 0
        memory.pool[BORN] = 1
        memory.tallies[0, BIRTH] = 1

    def begin_model(self, memory: Any, model: int) -> None:
        """Put a model that knows nothing in this place."""
        pool.forget_model(memory, model, self.ridge)
        self.widen_model(memory, model)
        memory.pool[BORN] += 1
        memory.tallies[model, BIRTH] = memory.pool[BORN]

    def widen_model(self, memory: Any, model: int) -> None:
        """Write the confidence radius for the observations so far."""
        taken = memory.spreads[model, TAKEN]
        memory.spreads[model, RADIUS] = confidence_radius(self, taken, memory.dimension[0])

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        """Return the row with the largest upper confidence bound of the model that acts."""
        model = memory.pool[ACTING]
        regression = layer(memory.regressions, model)
        arm, value, ties = memory.pending.optimistic(
            regression, actions, memory.spreads[model, RADIUS], luck
        )
        return Choice(arm, 1.0 / ties, value)

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Judge every model by the reward, then drop, begin and appoint."""
        memory.pending.hear()
        are_all_bad = True
        for model in range(self.models):
            if memory.tallies[model, BIRTH] > 0:
                self.judge(memory, model, action, choice.arm, reward)
                badness, width = pool.badness_of(memory, model, self.doubt)
                if badness < width + self.tolerance:
                    are_all_bad = False
                elif badness >= width + self.confidence:
                    memory.tallies[model, BIRTH] = 0
        if are_all_bad:
            self.begin_model(memory, self.vacancy(memory))
        self.appoint(memory)

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision whose reward is late."""
        memory.pending.take_off(memory, action, choice.arm, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count it no more."""
        memory.pending.land(memory, luck)

    def judge(self, memory: Any, model: int, action: Vector, arm: int, reward: float) -> None:
        """Record whether a model fails on this reward; if not, let it learn."""
        has_failed = pool.fails(memory, model, action, reward)
        if not has_failed:
            layer(memory.regressions, model).insert(action, arm, reward)
            memory.spreads[model, TAKEN] += 1.0
            self.widen_model(memory, model)
        pool.record(memory, model, int(has_failed))

    def vacancy(self, memory: Any) -> int:
        """Return an empty place or, if there is none, that of the model with most badness."""
        place, most = 0, -1.0
        for model in range(self.models):
            if memory.tallies[model, BIRTH] == 0:
                return model
            badness, _ = pool.badness_of(memory, model, self.doubt)
            if badness > most:
                place, most = model, badness
        return place

    def appoint(self, memory: Any) -> None:
        """Let the model act whose badness may be smallest, the oldest of equals."""
        optimism, least = math.sqrt(log(self.verdicts)), math.inf
        for model in range(self.models):
            birth = memory.tallies[model, BIRTH]
            if birth > 0:
                badness, width = pool.badness_of(memory, model, self.doubt)
                bound = badness - optimism * width
                acting = memory.pool[ACTING]
                if bound < least or (bound == least and birth < memory.tallies[acting, BIRTH]):
                    least = bound
                    memory.pool[ACTING] = model

    def estimate_in(self, memory: Any) -> Vector:
        """Return the estimate of the model that acts; runs in Python only."""
        return layer(memory.regressions, memory.pool[ACTING]).solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells: the acting model, and the pool; runs in Python only."""
        acting, born = memory.pool.tolist()
        radius, taken = memory.spreads[acting]
        models = [
            {
                "model": int(memory.tallies[model, BIRTH]),
                "observations": int(memory.spreads[model, TAKEN]),
                "badness": float(pool.badness_of(memory, model, self.doubt)[0]),
                "is_acting": model == acting,
            }
            for model in range(self.models)
            if memory.tallies[model, BIRTH] > 0
        ]
        plural = "" if len(models) == 1 else "s"
        source = (
            f"The {int(taken)} rounds count that the acting model did not fail on, since it was "
            f"begun; the pool has {len(models)} model{plural}."
        )
        belief = ridge_belief(layer(memory.regressions, acting), taken, source, radius, self.noise)
        return belief._replace(details={"models": models, "models_begun": born})
