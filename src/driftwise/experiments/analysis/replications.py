"""A policy in a world, played several times: the regret, and what to compare it with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.base.validation import require_integer
from ...core.engine.simulate import simulate
from ...core.engine.starting import started
from ..setup.pairing import Pair
from ..spec.limits import require_feasible
from .bootstrap import estimate, resample

__all__ = ["random_regret", "replicate", "require_playable"]

_ROUNDS = 4096  # drawn at a time


def require_playable(pair: Pair, *, replications: int, checkpoints: int, seed: int) -> None:
    """Raise an error about whatever is wrong, before anything is played.

    Some worlds find out only in their rounds, such as coins whose chances leave [0, 1], so those of
    the first replication are drawn.
    """
    require_integer("replications", replications)
    require_integer("checkpoints", checkpoints)
    require_integer("seed", seed, at_least=0)
    world = pair.world
    require_feasible(horizons=[world.horizon], replications=replications, checkpoints=checkpoints)
    started(pair.policy, world.n_arms, world.dimension, world.decision_set)
    for _ in world.rounds(seed, _ROUNDS):
        pass


def replicate(
    pair: Pair,
    *,
    replications: int,
    checkpoints: int,
    seed: int,
    watch: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Play, and return everything as numbers, strings, lists and dictionaries, ready for JSON.

    Replications have the seeds from ``seed`` on. ``watch`` is called after each.

    Examples
    --------
    >>> from driftwise.experiments.setup.pairing import pair
    >>> who = pair("Uniform", "Sinusoid", {"horizon": 100})
    >>> found = replicate(who, replications=2, checkpoints=4, seed=0)
    >>> [each["round"] for each in found["checkpoints"]], len(found["total_regrets"])
    ([25, 50, 75, 100], 2)
    """
    policy, world, n = pair.policy, pair.world, replications
    runs = []
    for each in range(seed, seed + n):
        runs.append(simulate(policy, world, seed=each, checkpoints=checkpoints, quiet=True))
        if watch is not None:
            watch()
    regret = np.array([run.regret for run in runs])
    means = resample(regret.T, seed, "simulate")
    is_chance = bool((regret != regret[0]).any())  # or an interval would have no width
    rows = [
        (t, *estimate(each, has_interval=is_chance))
        for t, each in zip(runs[0].rounds.tolist(), means, strict=True)
    ]
    return {
        "policy": _plain(policy),
        "guarantee": getattr(getattr(policy, "card", None), "guarantee", ""),
        "tuned_with": _plain(pair.told),
        "set_by_hand": _plain(pair.replaced),
        "world": {
            "name": type(world).__name__,
            "settings": _plain(pair.world_settings),
            "assumption_one": pair.is_orthogonal,
            "delay": None if (delay := getattr(world, "delay", None)) is None else repr(delay),
            "n_arms": world.n_arms,
            "dimension": world.dimension,
            "noise": world.noise,
            "realised_variation": {
                name: None if fact is None or math.isnan(fact) else fact
                for name, fact in world.realised_variation(seed)._asdict().items()
            },
        },
        "horizon": world.horizon,
        "replications": n,
        "seed": seed,
        "checkpoints": [
            {"round": t, "regret": mean, "low": low, "high": high, "regret_per_round": mean / t}
            for t, mean, low, high in rows
        ],
        "total_regrets": [run.total_regret for run in runs],
        "random_regret": random_regret(world, seed),
    }


def random_regret(world: Any, seed: int) -> float:
    """Return the expected regret of drawing every row of every decision set equally often."""
    lost = 0.0
    for rounds in world.rounds(seed, _ROUNDS):
        is_real = np.arange(rounds.means.shape[1]) < rounds.sizes[:, None]
        best = np.where(is_real, rounds.means, -np.inf).max(axis=1)
        average = np.where(is_real, rounds.means, 0.0).sum(axis=1) / rounds.sizes
        lost += float((best - average).sum())
    return lost


def _plain(value: Any) -> Any:
    """Return arrays as lists and policies as their names and settings."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if hasattr(value, "_asdict"):
        return {"name": type(value).__name__, "settings": _plain(value._asdict())}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
