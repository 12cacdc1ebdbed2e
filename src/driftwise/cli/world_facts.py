"""A world made to be looked at: how far it moves, how often it changes, and its picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.base.files import write
from ..core.base.validation import require_integer, require_known
from ..core.contract.unit_ball import UnitBall
from ..experiments.setup.tuning import make, reader_of, settings_of, usual_settings
from ..experiments.spec.limits import require_horizon
from ..experiments.spec.parameters import parameters_of
from ..registry import find_world
from .pictures import require_picture
from .portrait import describe

__all__ = ["look_at"]


def look_at(
    name: str,
    given: Mapping[str, Any],
    *,
    data: Path | None,
    seed: int,
    plot: str | None,
) -> dict[str, Any]:
    """Return all about a world, fit for JSON, and draw it if ``plot`` names a file or is empty.

    A world that cannot be made without more settings is still described, unless somebody tries to
    make it.
    """
    cls = find_world(name)
    seed = require_integer("seed", seed, at_least=0)
    row = describe(cls) | {"seed": seed, "made": None, "needs": "", "picture": None}
    target = None if plot is None else require_picture("plot", Path(plot or f"{name}.png"))
    maker = cls if data is None else reader_of(cls, data)
    settings = usual_settings(maker) | _of_the_world(given, maker)
    try:
        world = make(maker, name, settings)
    except ValueError as error:
        if given or data is not None or plot is not None:
            raise
        return row | {"needs": str(error)}
    require_horizon("horizon", world.horizon)
    if data is not None:
        settings = {"data": str(data), **settings}
    row["made"] = _facts(world, settings, seed)
    if target is not None:
        # Brings matplotlib, which the facts alone do without.
        from ..experiments.analysis.world_path import follow
        from ..experiments.figures.world_picture import draw_world

        if target.suffix.lower() == ".svg":
            write(target, draw_world(follow(world, seed), kind="svg").svg)
        else:
            write(target, draw_world(follow(world, seed), kind="png").png)
        row["picture"] = str(target)
    return row


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
