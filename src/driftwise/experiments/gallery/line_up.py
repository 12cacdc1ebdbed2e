"""Who plays in a world: each policy tuned to the facts of the world, or the reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...core.engine.starting import started
from ..setup.changes import changed_rounds, is_jumping
from ..setup.tuning import default_settings, facts_about, make, tune
from ..spec.parameters import maker_of, parameters_of

__all__ = ["LineUp", "default_world", "line_up"]


class LineUp(NamedTuple):
    """The policies that play in a world, and those that do not."""

    policies: dict[str, Any]  # tuned, by name
    refused: dict[str, str]  # the reason, by name


def default_world(world_class: type[Any], horizon: int | None, default: int) -> Any:
    """Return a world with its default settings.

    Parameters
    ----------
    world_class
        The world.
    horizon
        How many rounds it has.
    default
        How many it has if ``horizon`` is None and the world itself has no default.
    """
    settings = default_settings(world_class)
    if horizon is not None and "horizon" in parameters_of(world_class):
        settings["horizon"] = horizon
    elif "horizon" in settings:
        settings["horizon"] = default
    return make(world_class, world_class.__name__, settings)


def line_up(world: Any, candidates: Mapping[str, type[Any]], seed: int) -> LineUp:
    """Tune every candidate for the path that ``seed`` gives the world.

    All are told the same facts. `driftwise.OracleRestart`, a yardstick, is told the change points
    as well, where the world jumps rather than drifts.
    """
    facts = facts_about(world, seed)
    changes = changed_rounds(world, seed)
    if changes is not None and is_jumping(changes, world.horizon):
        facts["change_points"] = changes - 1  # the rounds that were played before
    policies, refused = {}, {}
    for name, cls in candidates.items():
        try:
            if "change_points" in parameters_of(maker_of(cls)) and "change_points" not in facts:
                raise ValueError(f"{name} must be told change points, and this world has none")
            policy = tune(cls, facts, {})[0]
            started(policy, world.n_arms, world.dimension, world.decision_set)
            policies[name] = policy
        except (TypeError, ValueError, OverflowError) as error:
            refused[name] = str(error)
    return LineUp(policies, refused)
