"""A law of delay from what an experiment file, or a person at a terminal, says of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from ... import delays
from ...core.base.errors import RuleTypeError, RuleValueError
from ...core.base.validation import require_known
from ...core.contract.delay import require_delay
from ..spec.parameters import parameters_of

__all__ = ["LAWS", "delay_of", "late"]

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
    """Return the law that a number of rounds, a table or a string asks for.

    A table has a name and settings. A text is a number of rounds, or a name and the values of its
    settings in their order, with colons between them; in a string, case and hyphens do not matter.

    Examples
    --------
    >>> delay_of({"name": "Missing", "probability": 0.5, "delay": {"name": "Geometric", "mean": 9}})
    Missing(probability=0.5, delay=Geometric(mean=9.0))
    >>> delay_of("100"), delay_of("geometric:100"), delay_of("heavy-tailed:10:1.5")
    (Constant(rounds=100), Geometric(mean=100.0), HeavyTailed(median=10.0, exponent=1.5))
    >>> delay_of("missing:0.5:geometric:9")
    Missing(probability=0.5, delay=Geometric(mean=9.0))
    """
    if isinstance(given, str):
        given = _read(given)
    if not isinstance(given, dict):
        return require_delay(given)
    settings = {name: value for name, value in given.items() if name != "name"}
    law = LAWS[require_known("delay", given.get("name", ""), LAWS)]
    for name in settings:
        require_known("setting of the delay", name, parameters_of(law))
    for name, each in parameters_of(law).items():
        if each.default is each.empty and name not in settings:
            raise RuleValueError("delay", f"come with {name}", given)
    if "delay" in settings:
        settings["delay"] = delay_of(settings["delay"])
    made: delays.Delay = law(**settings)
    return made


def late(world: Any, delay: delays.Delay) -> Any:
    """Return the world with a delay, or say that it takes none."""
    if not hasattr(world, "with_delay"):
        rule = f"be left out: {type(world).__name__} has no method with_delay"
        raise RuleTypeError("delay", rule, delay)
    return world.with_delay(delay)


def _read(text: str) -> Any:
    """Return a string as the number or the table that says the same."""
    first, *rest = (part.strip() for part in text.split(":"))
    if not rest:
        with suppress(ValueError):
            return int(first)
    names = {name.lower(): name for name in LAWS}
    law = names[require_known("delay", first.lower().replace("-", "").replace("_", ""), names)]
    known = list(parameters_of(LAWS[law]))
    if "delay" in known and len(rest) >= len(known):  # it is the last: what is left describes it
        rest = [*rest[: len(known) - 1], ":".join(rest[len(known) - 1 :])]
    if len(rest) > len(known):
        raise RuleValueError("delay", f"be {law} with {' and '.join(known)} at most", text)
    values = [_value(part) for part in rest]
    return {"name": law, **dict(zip(known, values, strict=False))}


def _value(text: str) -> Any:
    """Return a number or a list as one; the text itself, for the law to refuse, if it is neither."""
    for read in (int, float, json.loads):
        with suppress(ValueError, RecursionError):
            return read(text)
    return text
