"""A log as arrays: what was offered, chosen and earned, and before which decision each reward was known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..core.base.waiting import watched
from ..logs.event import names_of
from ..logs.evidence import Evidence, gathered
from ..logs.log import Log
from ..logs.propensity_checks import check_frequencies, check_vectors, check_weights
from ..logs.reward_checks import check_ids
from .arrivals import Arrivals, arrivals_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Events", "events_of"]

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Events:
    """All events of a log, in the order of time."""

    actions: Numbers  # (n, K, d), padded with zeros; (1, K, d) if the decision set never changes
    sizes: Integers  # (n,), or (1,): how many rows are real
    chosen: Integers  # (n,)
    propensity: Numbers  # (n,), of the chosen row; nan where the log does not tell
    propensities: (
        Numbers  # (n, K); rows of nan where the log does not tell; (n, 0) if it never does
    )
    reward: Numbers  # (n,), nan where none came
    time: Numbers  # (n,), nan where the log does not tell
    arrivals: Arrivals
    names: tuple[str, ...]  # of the rows, if they are the same in all events; empty otherwise
    notes: tuple[str, ...]  # what had to be assumed, in sentences
    errors: tuple[str, ...] = ()  # why propensities must be wrong, in sentences

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def fixed(self) -> Numbers | None:
        """The decision set if it never changes."""
        return self.actions[0, : self.sizes[0]] if len(self.actions) == 1 else None

    def rows_of(self, arms: Integers) -> Numbers:
        """Return one row of each event, (n, d)."""
        if len(self.actions) == 1:
            return np.asarray(self.actions[0, arms])
        return np.asarray(self.actions[np.arange(len(arms)), arms])

    def scores(self, parameters: Numbers) -> Numbers:
        """Return x'theta_t for each row of each event, (n, K); 0 for rows that are not there."""
        if len(self.actions) == 1:
            return np.asarray(parameters @ self.actions[0].T)
        return np.asarray((self.actions @ parameters[:, :, None])[:, :, 0])


def events_of(log: Log, encoder: Any = None) -> Events:
    """Return a log as arrays, or say what it would need for that.

    Rows are the log's own ``decision_set``, those that ``encoder`` makes of context and actions, or,
    where actions are mere names or numbers, unit vectors: one arm for each.
    """
    if not isinstance(log, Log):
        raise TypeError(f"log must be a dw.Log, such as is read by dw.Log.read(path), got {log!r}")
    if not len(log):
        raise ValueError("log must have at least one event, got none")
    of_encoder, events = _READ.get(log, (None, None))
    if events is None or of_encoder is not encoder:
        events = _read(log, encoder)
        _READ[log] = encoder, events
    return events


# A log is often evaluated in several ways, and to read it again may take longer than to evaluate it.
_READ: WeakKeyDictionary[Log, tuple[Any, Events]] = WeakKeyDictionary()


def _read(log: Log, encoder: Any) -> Events:
    frames = list(watched(log.frames(), "Reading", weigh=len, total=len(log)))
    evidence = gathered(frames)
    notes = [
        f"{found.says} {found.means}"
        for found in check_ids(evidence, log.strays)
        if found.severity == "error"
    ]
    chosen = _joined(frames, "action").astype(np.int64)
    sets, names = _sets(frames, encoder, chosen, notes)
    actions, sizes = _padded(sets)
    reward, time, reward_time = (
        _joined(frames, name) for name in ("reward", "time", "reward_time")
    )
    return Events(
        actions,
        sizes,
        chosen,
        _joined(frames, "propensity"),
        _propensities(frames, actions.shape[1]),
        reward,
        time,
        arrivals_of(reward, time, reward_time),
        names,
        tuple(notes),
        tuple(_wrong_propensities(evidence)),
    )


def _wrong_propensities(evidence: Evidence) -> Iterator[str]:
    """Yield what shows that propensities are wrong, as in `Log.soundness`."""
    for check in (check_vectors, check_frequencies, check_weights):
        for found in check(evidence):
            if found.severity == "error":
                yield f"Propensities are wrong, and so is what follows from them. {found.says}"


def _joined(frames: list[pl.DataFrame], name: str) -> Numbers:
    parts = [frame[name].cast(float).fill_null(np.nan).to_numpy() for frame in frames]
    return np.concatenate(parts).astype(np.float64)


Sets = list[
    tuple[Numbers, Integers]
]  # blocks of rows one below the other, and how many each event has


def _sets(
    frames: list[pl.DataFrame], encoder: Any, chosen: Integers, notes: list[str]
) -> tuple[Sets, tuple[str, ...]]:
    """Return the rows of all decision sets, and the names of the arms if there are arms."""
    count = sum(frame["decision_set"].is_not_null().sum() for frame in frames)
    if encoder is not None:
        to_encode = watched(frames, "Encoding", weigh=len, total=len(chosen))
        firsts = np.cumsum([0, *map(len, frames)]).tolist()
        return [_encoded(*each, encoder) for each in zip(to_encode, firsts, strict=False)], ()
    if count == len(chosen):
        return [_told(frame) for frame in frames], ()
    if count:
        raise ValueError(
            f"decision_set must be given in all events or in none, got {count} of {len(chosen)}"
        )
    return _arms(frames, chosen, notes)


def _told(frame: pl.DataFrame) -> tuple[Numbers, Integers]:
    rows = frame["decision_set"].explode()
    widths = rows.list.len().unique().to_list()
    if len(widths) > 1:
        raise ValueError(f"decision_set must have rows of one length, got {sorted(widths)[:2]}")
    flat = rows.explode().to_numpy().astype(np.float64)
    sizes = frame["decision_set"].list.len().to_numpy().astype(np.int64)
    return flat.reshape(-1, int(widths[0])), sizes


def _encoded(frame: pl.DataFrame, first: int, encoder: Any) -> tuple[Numbers, Integers]:
    blocks = []
    known: dict[str | None, Any] = {}
    try:
        for context, actions in frame.select("context", "actions").iter_rows():
            if actions is None:
                raise ValueError("log must have actions for an encoder to encode, got none")
            if actions not in known:
                known[actions] = _features(json.loads(actions, strict=False))
            features = json.loads(context, strict=False) if context else {}
            blocks.append(np.asarray(encoder.rows(features, known[actions]), np.float64))
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"event {first + len(blocks)}: {error}") from None
    return np.concatenate(blocks), np.array([len(block) for block in blocks], np.int64)


def _features(actions: Any) -> Any:
    if names_of(actions) is not None and not isinstance(actions, dict):
        return {name: {} for name in actions}
    return actions


def _arms(
    frames: list[pl.DataFrame], chosen: Integers, notes: list[str]
) -> tuple[Sets, tuple[str, ...]]:
    """Return unit vectors, one for each name or number."""
    if any(frame["context"].is_not_null().any() for frame in frames):
        notes.append(
            "The context is not used: without an encoder each action is an arm with one mean reward."
        )
    texts: list[list[str] | None] = []
    for frame in frames:
        known: dict[str | None, list[str] | None] = {}
        for text, size in frame.select("actions", "n_actions").iter_rows():
            key = text if text is not None else f"{size}"
            if key not in known:
                known[key] = _names(text, size)
            texts.append(known[key])
    if all(names is None for names in texts):
        size = int(chosen.max()) + 1
        notes.append(
            f"The log does not tell what could be chosen: {size} actions are assumed in all events,"
            " as many as were ever chosen."
        )
        texts = [[str(k) for k in range(size)]] * len(texts)
    if any(names is None for names in texts):
        at = next(i for i, names in enumerate(texts) if names is None)
        raise ValueError(
            f"log must tell in all events what could be chosen, got none in event {at}"
        )
    first = texts[0]
    if all(names is first or names == first for names in texts):
        assert first is not None
        return [(np.eye(len(first)), np.array([len(first)]))], tuple(first)
    places: dict[str, int] = {}
    for names in texts:
        for name in names or ():
            places.setdefault(name, len(places))
    units = np.eye(len(places))
    rows = [units[[places[name] for name in names or ()]] for names in texts]
    return [(np.concatenate(rows), np.array([len(each) for each in rows], np.int64))], ()


def _names(text: str | None, size: int | None) -> list[str] | None:
    if text is None:
        return None if size is None else [str(k) for k in range(size)]
    actions = json.loads(text, strict=False)
    names = names_of(actions)
    each = list(actions.values()) if isinstance(actions, dict) else actions
    if any(isinstance(action, dict) and action for action in each):
        raise ValueError(
            "log has features of actions, so an encoder must be given, a driftwise.features.Encoder "
            "(`driftwise features suggest` proposes one), got none"
        )
    return names if names is not None else [str(k) for k in range(len(actions))]


def _padded(sets: Sets) -> tuple[Numbers, Integers]:
    """Return all decision sets as one array, (1, K, d) if they are all alike."""
    sizes = np.concatenate([each for _, each in sets])
    flat = np.concatenate([rows for rows, _ in sets]) if len(sets) > 1 else sets[0][0]
    most, dimension = int(sizes.max()), flat.shape[1]
    if (sizes == most).all():
        actions = np.ascontiguousarray(flat.reshape(-1, most, dimension))
    else:
        actions = np.zeros((len(sizes), most, dimension))
        actions[np.arange(most) < sizes[:, None]] = flat
    is_fixed = (sizes == sizes[0]).all() and (actions[1:] == actions[0]).all()
    return (actions[:1].copy(), sizes[:1]) if is_fixed else (actions, sizes)


def _propensities(frames: list[pl.DataFrame], most: int) -> Numbers:
    if all(frame["propensities"].is_null().all() for frame in frames):
        return np.empty((sum(map(len, frames)), 0))
    parts = []
    for frame in frames:
        part = np.full((len(frame), most), np.nan)
        told = frame["propensities"]
        has = told.is_not_null().to_numpy()
        if has.any():
            sizes = told.list.len().fill_null(0).to_numpy()
            part[(np.arange(most) < sizes[:, None]) & has[:, None]] = (
                told.drop_nulls().explode().to_numpy()
            )
            part[has & (sizes < most)] = np.nan_to_num(part[has & (sizes < most)])
        parts.append(part)
    return np.concatenate(parts)
