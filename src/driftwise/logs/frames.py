"""Events in columns: from plain data and back, and all rules of an event on many at once."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..core.base.validation import LARGEST, LARGEST_ACTION
from .event import REWARD_ALONE, Event, check_actions, check_forgotten, checked_event
from .fields import FIELDS, JSON_FIELDS, NUMBER_FIELDS, schema

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BATCH", "Clock", "checked_frames", "completed", "events_in", "is_sound"]

BATCH = 20_000  # events at a time: some megabytes


class Clock:
    """The time of the last event, which the next one must not go behind."""

    def __init__(self) -> None:
        self.now: float | None = None

    def tick(self, time: float | None) -> None:
        """Take the next time, or say that it goes back."""
        if time is None:
            return
        if self.now is not None and time < self.now:
            raise ValueError(f"time must not go back, got {time} after {self.now}")
        self.now = time


def checked_frames(
    rows: Iterable[tuple[str, Mapping[str, Any]]], clock: Clock
) -> Iterator[pl.DataFrame]:
    """Yield frames of events that were checked one by one; an error names the row and the field.

    Parameters
    ----------
    rows
        Where each row stands, such as "log.jsonl, line 3", and the row under our names.
    clock
        Holds the time of the event before the first.
    """
    import polars as pl

    walk = iter(rows)
    while some := [_checked(where, row, clock) for where, row in islice(walk, BATCH)]:
        columns = {name: [event[name] for event in some] for name in FIELDS}
        yield completed(pl.DataFrame(columns, schema=schema()))


def events_in(frame: pl.DataFrame) -> Iterator[Event]:
    """Yield the rows of a frame as plain data, without the fields that are empty."""
    for row in frame.select(FIELDS).iter_rows(named=True):
        event = {name: value for name, value in row.items() if value is not None}
        for name in JSON_FIELDS:
            if name in event:
                event[name] = json.loads(event[name], strict=False)
        yield event


def completed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with what follows from the rest: see `checked_event`.

    It gains the column ``n_actions``: how many actions there were, where something tells.
    """
    import polars as pl

    column = pl.col
    texts = frame["actions"].drop_nulls().unique()
    sizes = [_size(text) for text in texts]
    told = column("actions").replace_strict(texts, sizes, default=None, return_dtype=pl.Int64)
    lengths = (column(name).list.len().cast(pl.Int64) for name in ("decision_set", "propensities"))
    for text in frame["forgotten"].drop_nulls().unique():
        check_forgotten(json.loads(text, strict=False))
    of_chosen = column("propensities").list.get(column("action"), null_on_oob=True)
    is_decision = column("action").is_not_null()
    arrival = pl.coalesce("reward_time", pl.when(~is_decision).then("time"))
    return frame.with_columns(
        pl.coalesce(told, *lengths).alias("n_actions"),
        pl.coalesce("propensity", of_chosen),
        arrival.alias("reward_time"),
        pl.when(is_decision).then("time"),
    )


def is_sound(frame: pl.DataFrame, clock: Clock) -> bool:
    """Return whether a completed frame keeps all rules of `checked_event`; if so the clock goes on.

    It may say no to what those rules allow, and never yes to what they forbid.
    """
    import polars as pl

    column = pl.col
    others = [name for name in FIELDS if name not in REWARD_ALONE]
    is_reward = column("event_id").is_not_null() & column("reward").is_not_null()
    rules = [
        *(column(name).abs() <= LARGEST for name in NUMBER_FIELDS),
        column("action").is_between(0, column("n_actions").fill_null(2**62) - 1),
        column("propensity").is_between(0.0, 1.0, closed="right"),
        column("reward_time") >= column("time"),
        column("luck") >= 0,
        *(
            column(name).list.len() == column("n_actions")
            for name in ("decision_set", "propensities")
        ),
        *(column(name).str.starts_with("{") for name in ("context", "choice")),
        pl.all_horizontal(is_reward, *(column(name).is_null() for name in others))
        | column("action").is_not_null(),
    ]
    times = frame["time"].drop_nulls()
    fits = (
        frame.select(pl.all_horizontal(rule.fill_null(True) for rule in rules).all()).item()
        and _are_lists_of_numbers(frame)
        and times.is_sorted()
        and (clock.now is None or not len(times) or times[0] >= clock.now)
    )
    if fits and len(times):
        clock.tick(times[-1])
    return bool(fits)


def _size(text: str) -> int:
    actions = json.loads(text, strict=False)
    check_actions(actions)
    return len(actions)


def _are_lists_of_numbers(frame: pl.DataFrame) -> bool:
    import polars as pl

    probabilities = frame["propensities"].drop_nulls().explode()
    sets = frame["decision_set"].drop_nulls()
    entries = sets.explode().explode()
    widths = sets.list.eval(pl.element().list.len().n_unique()).list.first()
    return bool(
        not probabilities.has_nulls()
        and probabilities.is_between(0.0, 1.0).all()
        and not entries.has_nulls()
        and (entries.abs() <= LARGEST_ACTION).all()
        and (widths == 1).all()
        and (sets.list.first().list.len() > 0).all()
    )


def _checked(where: str, row: Mapping[str, Any], clock: Clock) -> Event:
    try:
        event = checked_event(row)
        for name in JSON_FIELDS:
            if event[name] is not None:
                event[name] = _json(name, event[name])
        clock.tick(event["time"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None
    return event


def _json(name: str, value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        rule = "be fit for JSON, with None in place of NaN"
        raise ValueError(f"{name} must {rule}, got {reprlib.repr(value)}") from None
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can say and UTF-8 cannot
        return json.dumps(value)
    return text
