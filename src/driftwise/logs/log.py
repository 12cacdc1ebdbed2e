"""A log of decisions: read, looked at, cut and written; a long one is never in memory as a whole."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.waiting import watched
from .event import Event
from .frames import events_in
from .sources import Held, Source, form_of, source_of

if TYPE_CHECKING:
    import polars as pl

    from .soundness import Soundness

__all__ = ["Log"]


class Log:
    """Decisions, how probable they were, and what came of them, in the order of time.

    An event is a dictionary with these fields; only ``action`` must be there:

    ``event_id``
        A string or an integer, different for each decision.
    ``time``, ``reward_time``
        Numbers, or timestamps of ISO 8601, which become seconds since 1970. Times never go back.
    ``context``
        An object of features.
    ``actions``
        What could be chosen: a list of objects of features, a list of names, or an object of named
        objects. Or ``decision_set``, rows of numbers.
    ``action``
        The index of what was chosen, from 0, or its name, which becomes its index.
    ``propensity``
        The probability, in (0, 1], with which it was chosen; ``propensities`` those of all actions.
    ``reward``
        What came of it; not there if nothing came yet. A row with ``event_id`` and ``reward`` alone is
        a reward that came by itself, and is joined to its decision.
    ``policy``, ``luck``, ``choice``
        What `Decision.as_event` tells, for logs of driftwise's own.
    ``forgotten``
        Named actions that ended since the event before: a list, or, as `Decision.as_event` tells them, an
        object of names with the number of rewards that had come by then.

    A log that was read from a text file of at most 200 MiB stays in memory. Of others it keeps the name of
    the file, and reads it again when it is asked for events: the file must stay as it is.

    Parameters
    ----------
    events
        Events as dictionaries, for a log that is held in memory.

    Examples
    --------
    >>> log = Log([{"action": 0, "propensity": 0.5, "reward": 1.0}, {"action": 1, "propensity": 0.5}])
    >>> len(log), log[0]
    (2, {'action': 0, 'propensity': 0.5, 'reward': 1.0})
    >>> Log([{"action": 0, "propensity": 0.5}, {"action": 0, "propensity": 1.5}])
    Traceback (most recent call last):
    ValueError: event 1: propensity must be in (0, 1], got 1.5
    """

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        _require_polars()
        self._begin(Held(events))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        form: str | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> Log:
        """Read a log, all of which is checked: an error names the line, the field and the rule.

        Parameters
        ----------
        path
            A file of JSON Lines (.jsonl, .ndjson, .json), in our fields or in dsjson, or of Parquet,
            or of CSV.
        form
            "jsonl", "dsjson", "parquet" or "csv"; what the name of the file ends in if left out.
        columns
            For CSV: the column of each field, as in ``{"reward": "clicked", "action": "shown",
            "actions": ["blue", "red"], "context": ["hour", "segment"]}``.
        """
        _require_polars()
        return cls._of(source_of(Path(path), form, columns))

    @classmethod
    def from_obp(cls, feedback: Mapping[str, Any]) -> Log:
        """Return a log of the bandit feedback of the Open Bandit Pipeline, a dictionary of arrays."""
        from .arrays import Arrays

        _require_polars()
        return cls._of(Arrays(feedback))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Event]:
        for frame in self.frames():
            yield from events_in(frame)

    def __getitem__(self, at: int | slice) -> Any:
        """Return an event as a dictionary, or the log of a slice."""
        if isinstance(at, slice):
            if at.step is not None and at.step < 1:
                raise ValueError(
                    f"step must be at least 1, since times must not go back, got {at.step}"
                )
            return self._with(self._rows[at])
        row = self._rows[[at]]
        return next(iter(self._with(row)))

    def __repr__(self) -> str:
        return f"<Log of {len(self)} events>"

    def filter(self, is_kept: Callable[[Event], bool]) -> Log:
        """Return the log of those events of which ``is_kept`` says so.

        Examples
        --------
        >>> log = Log([{"action": 0, "policy": "a"}, {"action": 1, "policy": "b"}])
        >>> list(log.filter(lambda event: event["policy"] == "b"))
        [{'action': 1, 'policy': 'b'}]
        """
        kept = np.array([bool(is_kept(event)) for event in watched(self, "Filtering")], bool)
        return self._with(self._rows[kept])

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the events as frames of polars, some ten thousand at a time.

        Objects are JSON text, and ``n_actions`` is how many actions there were, where something tells.
        """
        first = 0
        for decisions in self._decisions():
            low, high = np.searchsorted(self._rows, [first, first + len(decisions)])
            if low < high:
                yield decisions[self._rows[low:high] - first]
            first += len(decisions)
            if high == len(self._rows):
                return
        if len(self._rows) and first <= self._rows[-1]:
            whole = self._rows[-1] + 1
            raise ValueError(
                f"a log must stay as it was read, got {first} events instead of {whole}"
            )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the log as JSON Lines or as Parquet, by the end of the name; all of it or nothing."""
        from .json_lines import lines_of
        from .parquet import write_parquet

        target = Path(path)
        form = form_of(target)
        if form not in ("jsonl", "parquet"):
            raise ValueError(f"path must end in .jsonl or .parquet, got {str(target)!r}")
        if not target.parent.is_dir():
            raise FileNotFoundError(f"path must lie in a folder that exists, got {str(target)!r}")
        # Beside the target, so that the finished file only changes its name.
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            draft = Path(folder) / "whole"
            if form == "parquet":
                write_parquet(draft, Path(folder), self._written())
            else:
                with draft.open("wb") as file:
                    file.writelines(lines_of(frame) for frame in self._written())
            with draft.open("rb+") as file:
                os.fsync(file.fileno())  # or a power cut could leave the name without the content
            os.replace(draft, target)
        return target

    def soundness(self, *, wait: float | None = None) -> Soundness:
        """Return what can be said about the log before anything is learnt from it.

        Parameters
        ----------
        wait
            How long a reward is waited for, in units of ``time``: what comes later is late, and
            decisions younger than that, at the end of the log, are not called unrewarded.
        """
        from .soundness import soundness

        return soundness(self, wait=wait)

    @property
    def unread(self) -> list[str]:
        """Fields, or columns, of the source that a log has no use for."""
        return list(self._source.unread)

    @property
    def strays(self) -> pl.DataFrame:
        """Rewards that came by themselves and could not be joined.

        Their ``kind`` says why: "unknown" if there is no such decision, "again" if it had a reward.
        """
        return self._strays

    @classmethod
    def _of(cls, source: Source) -> Log:
        log = cls.__new__(cls)
        log._begin(source)
        return log

    def _begin(self, source: Source) -> None:
        """Read everything once: after that all of it is known to be sound."""
        from .joining import joined

        self._source = source
        self._arrivals, self._strays, count = joined(watched(source.frames(), "Reading", weigh=len))
        self._rows: NDArray[np.int64] = np.arange(count)

    def _with(self, rows: NDArray[np.int64]) -> Log:
        log = Log.__new__(Log)
        log._source, log._arrivals, log._rows = self._source, self._arrivals, rows
        log._strays = self._strays.clear()  # they belong to the whole
        return log

    def _written(self) -> Iterator[pl.DataFrame]:
        return watched(self.frames(), "Writing", weigh=len, total=len(self))

    def _decisions(self) -> Iterator[pl.DataFrame]:
        from .joining import with_arrivals

        for frame in self._source.frames():
            decisions = frame.filter(frame["action"].is_not_null())
            yield with_arrivals(decisions, self._arrivals)


def _require_polars() -> None:
    if importlib.util.find_spec("polars") is None:
        raise ImportError("logs need polars: pip install 'driftwise[experiments]'")
