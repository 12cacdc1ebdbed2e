"""A policy and a world by name, with settings given by hand and the rest tuned."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..core.card import plays_arms
from ..core.validation import require_known
from ..registry import find_policy, find_world

__all__ = ["Pair", "pair"]

# What a world gets if it cannot do without and nobody says otherwise.
_USUAL: Mapping[str, Any] = {
    "horizon": 30_000,
    "variation": 1.0,
    "dimension": 2,
    "parameter": [0.2, 0.8],
}
_PARTS = ("policy", "world")


class Pair(NamedTuple):
    """Who plays where, and how that came about."""

    policy: Any
    world: Any
    told: dict[str, Any]  # what the policy was tuned with
    replaced: dict[str, Any]  # what was set by hand after that
    world_settings: dict[str, Any]
    is_orthogonal: bool  # whether Assumption 1 holds, as far as was looked


def pair(
    policy_name: str,
    world_name: str,
    settings: Mapping[str, Any],
    *,
    is_variation_known: bool = True,
    seed: int = 0,
) -> Pair:
    """Return a world, and a policy that was tuned with what the world tells.

    Parameters
    ----------
    policy_name, world_name
        Names in the registry.
    settings
        Each goes to the policy, to the world, or to both if both have one of that name; a name
        that begins with ``policy.`` or ``world.`` goes there only.
    is_variation_known
        Whether the policy is told the variation.
    seed
        Decides the path on which the variation of a world without a nominal one is measured.
    """
    policy_class, world_class = find_policy(policy_name), find_world(world_name)
    makers = {"policy": getattr(policy_class, "tuned", policy_class), "world": world_class}
    tunable, offered = (_parameters(makers[part]) for part in _PARTS)
    given = _hand_out(
        settings, {"policy": {**_parameters(policy_class), **tunable}, "world": offered}
    )

    usual = {name: _USUAL[name] for name in _required(offered) if name in _USUAL}
    world_settings = usual | given["world"]
    world = _make(world_class, world_name, world_settings)
    is_orthogonal = world.satisfies_assumption_one(seed)

    if not is_variation_known and "policy.variation" in settings:
        raise ValueError("policy.variation must be left out with --unknown-variation")
    facts = _facts(world, policy_class, seed) | {
        "geometry": "orthogonal" if is_orthogonal else "general"
    }
    told = {name: value for name, value in (facts | given["policy"]).items() if name in tunable}
    if not is_variation_known:
        told.pop("variation", None)
    policy = _make(makers["policy"], policy_name, told)
    replaced = {name: value for name, value in given["policy"].items() if name not in tunable}
    if replaced:
        policy = policy._replace(**replaced)
    return Pair(policy, world, told, replaced, _settings(world, world_settings), is_orthogonal)


def _hand_out(
    settings: Mapping[str, Any], known: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """Return what each part is given, or name the nearest setting that there is."""
    given: dict[str, dict[str, Any]] = {part: {} for part in known}
    for full_name, value in settings.items():
        prefix, dot, rest = full_name.partition(".")
        if dot:
            parts, name = [require_known("the part before the dot", prefix, known)], rest
        else:
            parts, name = [part for part in known if full_name in known[part]], full_name
        everything = {each: None for part in parts or known for each in known[part]}
        require_known("setting", name, everything)
        for part in parts:
            given[part][name] = value
    return given


def _facts(world: Any, policy_class: type[Any], seed: int) -> dict[str, Any]:
    """Return what a world tells anyone who asks, by the names that policies are tuned with."""
    variation = getattr(world, "variation", None)
    if variation is None:
        moved = world.realised_variation(seed)
        # Policies that play arms measure drift by the arm that moves most.
        by_arms = plays_arms(policy_class) and moved.arms is not None
        variation = moved.arms if by_arms else moved.l2
    facts = {
        "horizon": world.horizon,
        "dimension": world.dimension,
        "n_arms": world.n_arms,
        "noise": world.noise,
        "variation": None if math.isnan(variation) else variation,
        "parameter_norm": getattr(world, "parameter_norm", None),
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _settings(world: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return all settings of a world, those that were left out as it shows them."""
    shown = {name: getattr(world, name, None) for name in _parameters(type(world))}
    return {name: value for name, value in (shown | given).items() if value is not None}


def _make(maker: Callable[..., Any], name: str, settings: Mapping[str, Any]) -> Any:
    missing = [each for each in _required(_parameters(maker)) if each not in settings]
    if missing:
        raise ValueError(f"{name} needs {' and '.join(missing)}: add --set {missing[0]}=VALUE")
    return maker(**settings)


def _parameters(call: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(call).parameters


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [name for name, each in parameters.items() if each.default is each.empty]
