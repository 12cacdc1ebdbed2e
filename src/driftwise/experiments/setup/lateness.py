"""A law of delay from what an experiment file says of it."""

from __future__ import annotations

from typing import Any

from ... import delays
from ...core.base.validation import require_known
from ...core.contract.delay import require_delay
from ..spec.parameters import parameters_of

__all__ = ["LAWS", "delay_of"]

LAWS = {
    cls.__name__: cls
    for cls in (
        delays.Batches,
        delays.Constant,
        delays.Geometric,
        delays.HeavyTailed,
        delays.Missing,
        delays.Recorded,
    )
}


def delay_of(given: Any) -> delays.Delay:
    """Return the law that a number of rounds, or a table with a name and settings, asks for.

    Examples
    --------
    >>> delay_of({"name": "Missing", "probability": 0.5, "delay": {"name": "Geometric", "mean": 9}})
    Missing(probability=0.5, delay=Geometric(mean=9.0))
    """
    if not isinstance(given, dict):
        return require_delay(given)
    settings = {name: value for name, value in given.items() if name != "name"}
    law = LAWS[require_known("delay", given.get("name", ""), LAWS)]
    for name in settings:
        require_known("setting of the delay", name, parameters_of(law))
    if "delay" in settings:
        settings["delay"] = delay_of(settings["delay"])
    made: delays.Delay = law(**settings)
    return made
