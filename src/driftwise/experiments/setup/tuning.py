"""A world from its settings, the facts that it tells, and a policy tuned with them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any

from ...core.base.card import plays_arms
from ...core.base.errors import RuleError, RuleValueError
from ..spec.parameters import maker_of, parameters_of
from .changes import JUMPING
from .scales import scales_of

__all__ = [
    "MissingSettingsError",
    "default_settings",
    "facts_about",
    "make",
    "reader_of",
    "settings_of",
    "tune",
]

# Defaults of the settings that a world requires.
_DEFAULTS: Mapping[str, Any] = {
    "horizon": 30_000,
    "variation": 1.0,
    "dimension": 2,
    "parameter": [0.2, 0.8],
}


class MissingSettingsError(ValueError):
    """A policy or a world that cannot be made without more settings.

    Parameters
    ----------
    owner
        The name of the policy or the world.
    missing
        The names of the settings.
    is_in_file
        Whether a file of data would bring them.
    """

    def __init__(self, owner: str, missing: Sequence[str], *, is_in_file: bool) -> None:
        super().__init__(owner, missing)
        self.need = f"{owner} needs {' and '.join(missing)}"
        self.missing, self.is_in_file = tuple(missing), is_in_file

    def __str__(self) -> str:
        way = "--data FILE" if self.is_in_file else f"--set {self.missing[0]}=VALUE"
        return f"{self.need}: add {way}"


def make(maker: Callable[..., Any], name: str, settings: Mapping[str, Any]) -> Any:
    """Call a class or its ``tuned``, or say which setting is missing."""
    missing = [each for each in _required(parameters_of(maker)) if each not in settings]
    if missing:
        raise MissingSettingsError(name, missing, is_in_file=hasattr(maker, "from_file"))
    return maker(**settings)


def reader_of(world_class: type[Any], data: Path) -> Callable[..., Any]:
    """Return what makes such a world from a file, if it reads files at all."""
    if not hasattr(world_class, "from_file"):
        raise RuleValueError(
            "data", "go with a world that reads files, such as Recorded", data, world_class.__name__
        )
    reading = partial(world_class.from_file, data)

    @wraps(reading)  # so that it has the same parameters
    def read(**settings: Any) -> Any:
        try:
            return reading(**settings)
        # The world calls it a path; whoever asks has called it data.
        except FileNotFoundError as error:
            raise RuleValueError("data", "be a file that exists", data, str(data)) from error
        except RuleError as error:
            if error.parameter != "path":
                raise
            raise error.about("data") from error

    return read


def default_settings(world_maker: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of the settings that a world requires."""
    return {
        name: _DEFAULTS[name] for name in _required(parameters_of(world_maker)) if name in _DEFAULTS
    }


def facts_about(world: Any, seed: int, *, is_measured: bool = False) -> dict[str, Any]:
    """Return what a world tells anyone who asks, by the names that policies are tuned with.

    The variation of a world without a nominal one is measured on the path of ``seed``, once by
    the parameter and once by the arm that moves most. Where nobody knows it, as in records without
    expected rewards, it is left out. With ``is_measured`` a nominal variation is not believed
    either, the changes of a world that stands still in most rounds are counted, and bounds and
    scales are those of `scales_of`; logistic policies get the bound on a logistic parameter.
    """
    variation = None if is_measured else getattr(world, "variation", None)
    moved = world.realised_variation(seed) if variation is None else None
    is_known = moved is not None and (moved.arms is not None or not math.isnan(moved.l2))
    n_changes = world.number_of_changes(seed) if is_measured and is_known else math.inf
    facts = {
        "horizon": world.horizon,
        "dimension": world.dimension,
        "n_arms": world.n_arms,
        "noise": world.noise,
        "variation": moved.l2 if moved else variation,
        "variation of arms": moved.arms if moved else variation,
        # What drifts changes all the time: a window for so many jumps would forget at once.
        "n_changes": n_changes if n_changes <= JUMPING * world.horizon else None,
        "parameter_norm": getattr(world, "parameter_norm", None),
        "action_norm": getattr(world, "action_norm", None),
        "geometry": "orthogonal" if world.satisfies_assumption_one(seed) else "general",
    }
    if is_measured:
        facts["parameter_norm of logits"] = facts["parameter_norm"]
        facts |= scales_of(world, seed)
    return {name: fact for name, fact in facts.items() if fact is not None and fact == fact}


def tune(
    policy_class: type[Any],
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    is_variation_known: bool = True,
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a policy tuned with facts and settings, what it was told, and what was set after."""
    maker = maker_of(policy_class)
    tunable = parameters_of(maker)
    known = dict(facts)
    # Policies that play arms measure drift by the arm that moves most.
    if plays_arms(policy_class) and "variation of arms" in known:
        known["variation"] = known["variation of arms"]
    card = getattr(policy_class, "card", None)  # one from outside may have none
    if card is not None and card.is_logistic and "parameter_norm of logits" in known:
        known["parameter_norm"] = known["parameter_norm of logits"]
    if not is_variation_known:
        known.pop("variation", None)
    told = {name: value for name, value in (known | dict(settings)).items() if name in tunable}
    if not is_variation_known:
        told.pop("variation", None)
    policy = make(maker, policy_class.__name__, told)
    replaced = {name: value for name, value in settings.items() if name not in tunable}
    return policy._replace(**replaced) if replaced else policy, told, replaced


def settings_of(world: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a world, those that were left out as it shows them."""
    shown = {name: getattr(world, name, None) for name in parameters_of(type(world))}
    return {name: value for name, value in (shown | dict(given)).items() if value is not None}


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [name for name, each in parameters.items() if each.default is each.empty]
