"""What all policies for clicks share: settings, the radius that the link gives, tuning, beliefs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ... import theory
from ...core.base.arrays import Vector
from ...core.base.validation import require_integer, require_number
from ...core.compiler.compiled import inlined
from ...core.contract.policy import Choice
from ...core.explain.belief import Belief
from ...core.models.glm.logistic import slope_of
from ...core.models.ridge.radii import trace_radius
from .linear import Forgetful, Linear
from .rules import Optimistic

__all__ = ["Logistic", "inflated_ridge", "logistic_radius"]

_STEEPEST = 0.25  # k_mu, the slope of the logistic function at 0
_FARTHEST = 100.0  # where that slope is 4e-44, and nothing yet overflows


class Logistic(Optimistic, Forgetful):
    """A policy whose expected reward is the logistic function of a linear one."""

    __slots__ = ()
    if TYPE_CHECKING:
        newton_steps: int
        radius_scale: float

    def _check(self) -> None:
        super()._check()
        reach = self.action_norm * self.parameter_norm
        if reach > _FARTHEST:
            raise ValueError(
                f"action_norm * parameter_norm must be at most {_FARTHEST:g}, where the logistic "
                f"function is flat, got {reach:g}"
            )
        require_integer("newton_steps", self.newton_steps)
        require_number("radius_scale", self.radius_scale, at_least=0.0)

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int,
        variation: float | None = None,
        noise: float = 0.5,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        newton_steps: int = 5,
        radius_scale: float = 1.0,
        geometry: theory.Geometry = "orthogonal",
    ) -> Self:
        """Return the policy that forgets as its linear counterpart does, with δ/T for δ = 1/T.

        Parameters
        ----------
        horizon, dimension, variation, geometry
            As for `SlidingWindowUCB.tuned`.
        noise, action_norm, parameter_norm, ridge, newton_steps, radius_scale
            As in the class.
        """
        setting = cls._best_setting(
            horizon=horizon, dimension=dimension, variation=variation, geometry=geometry
        )
        confidence = 1.0 / (horizon * horizon)
        norms = action_norm, parameter_norm, ridge
        room = cls._best_room(horizon)
        return cls._made(setting, noise, *norms, confidence, newton_steps, radius_scale, *room)

    @classmethod
    def practical(cls, **facts: Any) -> Self:
        """Say that there is none: through a link, a radius of 2 R means nothing."""
        raise TypeError(f"{cls.__name__} has no practical tuning: scale its radius by radius_scale")

    @classmethod
    def _best_room(cls, horizon: int) -> tuple[int, ...]:
        """Return what the last settings, if there are more, should be over a horizon."""
        return ()

    def tick(self, memory: Any) -> None:
        """Take in a round without a reward: an action of zeros, from which nothing can be learnt."""
        nothing = np.zeros(memory.fit.estimate.size)
        self.learn(memory, nothing, Choice(0, 1.0, math.nan), 0.0, 0)  # type: ignore[attr-defined]  # of heirs

    def estimate_in(self, memory: Any) -> Vector:
        """Return the penalised maximum of the quasi-likelihood; runs in Python only."""
        return memory.fit.estimate.copy()  # type: ignore[no-any-return]  # a LogisticFit's

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only.

        The standard errors are those for the least slope within reach: where the curve is steeper,
        the estimate is better than they say.
        """
        belief = Linear.belief_in(self, memory)
        scale = belief.error_scale / slope_of(self.action_norm * self.parameter_norm)
        estimate = self.estimate_in(memory)
        return belief._replace(estimate=estimate, error_scale=scale, is_logistic=True)


@inlined
def inflated_ridge(policy: Any) -> float:
    """Return lambda / c_mu, the ridge of V, with c_mu the least slope within reach."""
    least = slope_of(policy.action_norm * policy.parameter_norm)
    return float(policy.ridge / least)


@inlined
def logistic_radius(policy: Any, weight: float, dimension: float) -> float:
    """Return the radius of Russac, Cappe and Garivier (2020) after rounds of this total weight.

    (2 k / c) (R sqrt(2 ln(1/delta) + d ln(1 + c n L^2 / (lambda d))) + sqrt(lambda c) S): that of
    linear rewards, with the ridge lambda / c and the norm c S, and a factor for the link.
    """
    least = slope_of(policy.action_norm * policy.parameter_norm)
    linear = trace_radius(
        weight, dimension, policy.noise, policy.action_norm, least * policy.parameter_norm,
        policy.ridge / least, policy.confidence,
    )  # fmt: skip
    return float(policy.radius_scale * (2.0 * _STEEPEST / least) * linear)
