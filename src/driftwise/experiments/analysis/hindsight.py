"""Which of a comparator's policies was best, by the settings that tell it from the others."""

from __future__ import annotations

from typing import Any

from ..setup.building import Builder
from .standings import Standings

__all__ = ["name_best"]


def name_best(builder: Builder, standings: Standings) -> dict[str, str]:
    """Return, for each comparator, the settings of the policy that was best in hindsight.

    A grid may depend on the horizon, so its labels only count; this says what they stand for, such
    as "window = 1926".
    """
    world, horizon = standings.world, standings.horizon
    found = {}
    for label, best in standings.best_of.items():
        family = {
            member: builder.policy(member, world, horizon)._asdict()
            for member in builder.experiment.comparators[label]
            if builder.refusal(member, world, horizon) is None
        }
        varied = [
            key
            for key, value in family[best].items()
            if any(_differs(settings.get(key), value) for settings in family.values())
        ]
        found[label] = ", ".join(f"{key} = {_short(family[best][key])}" for key in varied) or best
    return found


def _differs(one: Any, other: Any) -> bool:
    return repr(one) != repr(other)  # settings may be arrays, which have no single answer


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
