"""What theory sets before a run: each policy's parameters, and the bound on SW-UCB's regret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..theory import radius, regret_bound
from .analysis import Analysis
from .experiment import Experiment

__all__ = ["Bound", "bound_regret", "describe_policy", "list_settings"]


class Bound(NamedTuple):
    """The regret that theory allows, beside the regret that was measured."""

    horizon: int
    measured: float
    allowed: float
    worst: float  # the regret of playing the worst arm in every round


def bound_regret(experiment: Experiment, analysis: Analysis, policy: str) -> list[Bound]:
    """Return SW-UCB's bound at each horizon, for the variation that the world really has.

    It is the explicit one, constants and all, at the end of the proof of Theorem 3.
    """
    bounds = []
    for horizon, mean in zip(analysis.horizons, analysis.means[policy], strict=True):
        settings, world = experiment.policy(policy, horizon), experiment.world(horizon)
        worst = sum(np.ptp(rounds.means, axis=1).sum() for rounds in world.rounds(0, horizon))
        allowed = regret_bound(
            horizon=horizon,
            dimension=experiment.n_arms,
            variation=world.realised_variation().l2,
            window=settings.window,
            noise=settings.noise,
            action_norm=settings.action_norm,
            parameter_norm=settings.parameter_norm,
            ridge=settings.ridge,
            confidence=settings.confidence,
        )
        bounds.append(Bound(horizon, mean.value, allowed, float(worst)))
    return bounds


def list_settings(experiment: Experiment) -> list[dict[str, str]]:
    """Return, for each horizon, the variation and all settings under the names of columns."""
    rows = []
    for horizon in experiment.horizons:
        realised = experiment.world(horizon).realised_variation()
        row = {
            "T": f"{horizon:,}",
            "B_T, nominal": f"{experiment.variation(horizon):.2f}",
            "realised, Euclidean": f"{realised.l2:.2f}",
            "realised, largest arm": f"{realised.arms:.2f}",
        }
        for name in experiment.policies:
            row |= describe_policy(experiment, name, horizon)
        rows.append(row)
    return rows


def describe_policy(experiment: Experiment, name: str, horizon: int) -> dict[str, str]:
    """Return the settings of a policy under the names of columns."""
    policy = experiment.policy(name, horizon)
    described = _DESCRIPTIONS[name](policy, experiment.n_arms)
    return {f"{name}: {what}": value for what, value in described.items()}


def _sliding_window(policy: Any, dimension: int) -> dict[str, str]:
    beta = radius(
        window=policy.window,
        dimension=dimension,
        noise=policy.noise,
        action_norm=policy.action_norm,
        parameter_norm=policy.parameter_norm,
        ridge=policy.ridge,
        confidence=policy.confidence,
    )
    return {"window": f"{policy.window:,}", "radius": f"{beta:.4f}"}


def _bandit_over_bandit(policy: Any, dimension: int) -> dict[str, str]:
    return {
        "block": f"{policy.block_length}",
        "windows": " ".join(str(window) for window in policy.settings),
        "mixing": f"{policy.mixing:.4f}",
    }


def _exp3s(policy: Any, dimension: int) -> dict[str, str]:
    return {"mixing": f"{policy.mixing:.5f}", "sharing": f"{policy.sharing:.1e}"}


_DESCRIPTIONS: dict[str, Callable[[Any, int], dict[str, str]]] = {
    "SW-UCB": _sliding_window,
    "BOB": _bandit_over_bandit,
    "EXP3.S": _exp3s,
}
