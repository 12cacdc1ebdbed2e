"""Bandit feedback as the Open Bandit Pipeline has it: a dictionary of arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_array, require_integer
from .fields import FIELDS, schema
from .frames import BATCH, Clock, checked_frames, completed, events_in, is_sound

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Arrays"]


_USED = (
    "n_rounds",
    "n_actions",
    "action",
    "reward",
    "pscore",
    "context",
    "action_context",
    "position",
    "pi_b",
)


class Arrays:
    """Bandit feedback of OBP.

    Parameters
    ----------
    feedback
        ``action`` and ``reward``, (n,); where known ``pscore``, (n,), ``context``, (n, d),
        ``n_actions``, ``action_context``, (K, d'), ``position``, (n,), and ``pi_b``, (n, K, L). The
        actions are called "0", "1", ...; columns "x0", "x1", ...; positions are part of the context if
        there are several.
    """

    unread: list[str]  # arrays that a log has no use for

    def __init__(self, feedback: Mapping[str, Any]) -> None:
        if not isinstance(feedback, Mapping):
            raise TypeError(f"feedback must be a dictionary of arrays, got {feedback!r}")
        for name in ("action", "reward"):
            if feedback.get(name) is None:
                raise ValueError(f"feedback must have an array {name}, got {', '.join(feedback)}")
        self.unread = [name for name in feedback if name not in _USED]
        self._action = np.asarray(feedback["action"])
        n = len(self._action)
        if self._action.ndim != 1 or self._action.dtype.kind not in "iu":
            came = f"{self._action.dtype} of shape {self._action.shape}"
            raise TypeError(f"action must be an array of n integers, got {came}")
        self._reward = _floats("reward", feedback["reward"], (n,))
        self._pscore = _floats("pscore", feedback.get("pscore"), (n,))
        self._context = _floats("context", feedback.get("context"), (n, None))
        self._propensities = _propensities(feedback, n)
        self._positions = _several_positions(feedback.get("position"), n)
        self._actions = _actions(feedback, self._propensities)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield all events in order, checked."""
        clock = Clock()
        for start in range(0, len(self._action), BATCH):
            frame = self._frame(slice(start, start + BATCH))
            try:
                whole = completed(frame)
                is_fine = is_sound(whole, clock)
            except ValueError:
                is_fine = False
            if is_fine:
                yield whole
            else:
                rows = enumerate(events_in(frame), start)
                yield from checked_frames(((f"row {i} of feedback", row) for i, row in rows), clock)

    def _frame(self, some: slice) -> pl.DataFrame:
        import polars as pl

        action = self._action[some]
        columns: dict[str, Any] = {
            "action": action,
            "reward": _part(self._reward, some),
            "propensity": _part(self._pscore, some),
            "propensities": _part(self._propensities, some),
            "context": self._contexts(some),
        }
        given = [
            pl.Series(name, columns[name], dtype=dtype)
            if columns.get(name) is not None
            else pl.Series(name, [None] * len(action), dtype=dtype)
            for name, dtype in schema().items()
        ]
        texts = pl.lit(self._actions, dtype=pl.String).alias("actions")
        return pl.DataFrame(given).with_columns(texts).select(FIELDS)

    def _contexts(self, some: slice) -> pl.Series | None:
        import polars as pl

        columns: dict[str, NDArray[Any]] = {}
        if self._context is not None:
            columns = {f"x{i}": column[some] for i, column in enumerate(self._context.T)}
        if self._positions is not None:
            columns["position"] = self._positions[some]
        if not columns:
            return None
        return pl.DataFrame(columns).select(pl.struct(pl.all()).struct.json_encode()).to_series()


def _floats(name: str, values: Any, shape: tuple[int | None, ...]) -> NDArray[np.float64] | None:
    return None if values is None else require_array(name, values, shape=shape)


def _part(values: NDArray[np.float64] | None, some: slice) -> NDArray[np.float64] | None:
    return None if values is None else values[some]


def _several_positions(positions: Any, n: int) -> NDArray[np.int64] | None:
    if positions is None:
        return None
    found = require_array("position", positions, shape=(n,)).astype(np.int64)
    return found if (found != found[0]).any() else None


def _propensities(feedback: Mapping[str, Any], n: int) -> NDArray[np.float64] | None:
    """Return the behaviour policy's probabilities at the position of each event, (n, K)."""
    if feedback.get("pi_b") is None:
        return None
    whole = require_array("pi_b", feedback["pi_b"], shape=(n, None, None))
    positions = feedback.get("position")
    at = np.zeros(n, np.int64) if positions is None else np.asarray(positions, np.int64)
    if at.shape != (n,) or at.min() < 0 or at.max() >= whole.shape[2]:
        raise ValueError(f"position must be below {whole.shape[2]}, as pi_b has it, got others")
    return np.ascontiguousarray(whole[np.arange(n), :, at])


def _actions(feedback: Mapping[str, Any], propensities: NDArray[np.float64] | None) -> str | None:
    """Return the actions of every event as JSON text, or None if nothing tells how many."""
    features, count = feedback.get("action_context"), feedback.get("n_actions")
    if features is not None:
        rows = require_array("action_context", features, shape=(None, None)).tolist()
        named = {str(k): {f"x{i}": x for i, x in enumerate(row)} for k, row in enumerate(rows)}
        return json.dumps(named)
    if count is None and propensities is not None:
        count = propensities.shape[1]
    if count is None:
        return None
    return json.dumps([str(k) for k in range(require_integer("n_actions", count))])
