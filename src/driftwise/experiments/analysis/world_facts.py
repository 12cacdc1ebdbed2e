"""A world made to be looked at: how far it moves, and how often it changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...core.base.validation import require_integer, require_known
from ...core.contract.unit_ball import UnitBall
from ...registry import find_world
from ..setup.tuning import default_settings, make, reader_of, settings_of
from ..spec.catalogue import describe
from ..spec.limits import require_horizon
from ..spec.parameters import parameters_of

__all__ = ["Look", "look_at"]


class Look(NamedTuple):
    """What can be said of a world, ready for JSON, and the world itself if it could be made."""

    facts: dict[str, Any]
    world: Any | None


def look_at(
    name: str,
    given: Mapping[str, Any],
    *,
    data: Path | None = None,
    seed: int = 0,
    is_made: bool = False,
) -> Look:
    """Return all about a world, by its name and some of its settings.

    One that cannot be made without more settings is still described, unless somebody tries: gives a
    setting or a file, or says ``is_made``.

    Examples
    --------
    >>> look_at("Switching", {"horizon": 100, "n_changes": 4}).facts["made"]["number_of_changes"]
    4
    """
    cls = find_world(name)
    seed = require_integer("seed", seed, at_least=0)
    facts = describe(cls) | {"seed": seed, "made": None, "needs": "", "picture": None}
    maker = cls if data is None else reader_of(cls, data)
    settings = default_settings(maker) | _of_the_world(given, maker)
    try:
        world = make(maker, name, settings)
    except ValueError as error:
        if given or data is not None or is_made:
            raise
        return Look(facts | {"needs": str(error)}, None)
    require_horizon("horizon", world.horizon)
    if data is not None:
        settings = {"data": str(data), **settings}
    return Look(facts | {"made": _facts(world, settings, seed)}, world)


def _of_the_world(given: Mapping[str, Any], maker: Any) -> dict[str, Any]:
    """Return the settings, whose names may begin with ``world.``, or name the nearest there is."""
    names = {name.removeprefix("world."): value for name, value in given.items()}
    for name in names:
        require_known("setting", name, parameters_of(maker))
    return names


def _facts(world: Any, settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    moved = world.realised_variation(seed)._asdict()
    return {
        "settings": {
            name: value.tolist() if hasattr(value, "tolist") else value
            for name, value in settings_of(world, settings).items()
        },
        "horizon": world.horizon,
        "n_arms": world.n_arms,
        "dimension": world.dimension,
        "is_fixed": world.decision_set is not None,
        "is_ball": isinstance(world.decision_set, UnitBall),
        "noise": world.noise,
        "realised_variation": {
            name: None if fact is None or math.isnan(fact) else fact for name, fact in moved.items()
        },
        "number_of_changes": world.number_of_changes(seed),
        "assumption_one": world.satisfies_assumption_one(seed),
    }
