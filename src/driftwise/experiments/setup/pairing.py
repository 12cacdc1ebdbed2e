"""A policy and a world by name, with settings given by hand and the rest tuned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_known
from ...registry import find_policy, find_world
from ..spec.limits import require_horizon
from ..spec.parameters import maker_of, parameters_of
from .lateness import delay_of, late
from .tuning import default_settings, facts_about, make, reader_of, settings_of, tune

__all__ = ["Pair", "pair"]

# What the world decides. A policy that is told otherwise is tuned for some other world.
_OF_THE_WORLD = ("horizon", "variation")


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
    data: Path | None = None,
    delay: Any = None,
    is_variation_known: bool = True,
    seed: int = 0,
) -> Pair:
    """Return a world, and a policy that was tuned to the facts of the world.

    Parameters
    ----------
    policy_name, world_name
        Names in the registry.
    settings
        Each goes to the policy, to the world, or to both if both have one of that name; a name
        that begins with ``policy.`` or ``world.`` goes there only. A horizon or a variation that
        the world does not take is refused, unless it begins with ``policy.``.
    data
        A file to make the world from, if it is one that reads files.
    delay
        How late the world's rewards come, as `delay_of` reads it; at once by default.
    is_variation_known
        Whether the policy is told the variation.
    seed
        Decides the path on which the variation of a world without a nominal one is measured.
    """
    policy_class, world_class = find_policy(policy_name), find_world(world_name)
    world_maker = world_class if data is None else reader_of(world_class, data)
    tunable, offered = parameters_of(maker_of(policy_class)), parameters_of(world_maker)
    given = _hand_out(
        settings, {"policy": {**parameters_of(policy_class), **tunable}, "world": offered}
    )
    for name in _OF_THE_WORLD:
        if name in settings and name not in given["world"]:
            raise RuleValueError(
                name,
                f"be a setting of the world {world_name}, which has none; policy.{name} is for the"
                " policy alone",
                settings[name],
                str(settings[name]),
            )
    world_settings = default_settings(world_maker) | given["world"]
    world = make(world_maker, world_name, world_settings)
    if delay is not None:
        world = late(world, delay_of(delay))
    require_horizon("horizon", world.horizon)
    facts = facts_about(world, seed)
    if not is_variation_known and "policy.variation" in settings:
        raise RuleValueError("policy.variation", "be left out with --unknown-variation", shown="")
    policy, told, replaced = tune(
        policy_class, facts, given["policy"], is_variation_known=is_variation_known
    )
    shown = settings_of(world, world_settings)
    return Pair(policy, world, told, replaced, shown, facts["geometry"] == "orthogonal")


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
