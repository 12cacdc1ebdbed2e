"""What all policies with a logistic link share: settings, the radius that they give, beliefs."""

from __future__ import annotations

from typing import Any

from ..core.base.arrays import Vector
from ..core.base.validation import require_integer, require_number
from ..core.compiler.compiled import inlined
from ..core.explain.belief import Belief
from ..core.models.glm.logistic import slope_of
from ..core.models.ridge.radii import trace_radius
from .linear_settings import require_linear

__all__ = ["inflated_ridge", "logistic_belief", "logistic_radius", "require_logistic"]

_STEEPEST = 0.25  # k_mu, the slope of the logistic function at 0
_FARTHEST = 100.0  # where that slope is 4e-44, and nothing yet overflows


def require_logistic(policy: Any) -> None:
    """Check what all linear policies share, and what the link adds."""
    require_linear(policy)
    reach = policy.action_norm * policy.parameter_norm
    if reach > _FARTHEST:
        raise ValueError(
            f"action_norm * parameter_norm must be at most {_FARTHEST:g}, where the logistic "
            f"function is flat, got {reach:g}"
        )
    require_integer("newton_steps", policy.newton_steps)
    require_number("radius_scale", policy.radius_scale, at_least=0.0)


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


def logistic_belief(policy: Any, belief: Belief, estimate: Vector) -> Belief:
    """Return the belief of such a policy, from that of its regression.

    The standard errors are those for the least slope within reach: where the curve is steeper, the
    estimate is better than they say.
    """
    least = slope_of(policy.action_norm * policy.parameter_norm)
    scale = belief.error_scale / least
    return belief._replace(estimate=estimate.copy(), error_scale=scale, is_logistic=True)
