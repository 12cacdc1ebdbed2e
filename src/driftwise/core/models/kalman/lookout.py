"""Whether the world has changed: a memory that falls and stays low, an action that comes back another.

Nothing here changes what is played. It is what a person is told who asks what has happened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Vector
from ...base.limits import MOST, Limits
from ...compiler.compiled import compilable
from ...compiler.elementary import log

__all__ = ["CHANGED", "CHANGES", "Lookout", "begin_lookout"]

# Cells of a lookout. Times are counted in rewards.
CHANGED = 0  # when the change showed that was noticed last; 0 if none was
CHANGES = 1  # how many were noticed
_MEAN_MEMORY = 2  # ln of the effective memory, on the average of the last rounds
_FALLEN = 3  # for how many rounds the memory has been far below its average
_MARKED = 4  # when an action came back that is kept an eye on; 0 if none is
_MARK_MEAN = 5  # what was expected of that action before
_MARK_VARIANCE = 6  # and the variance of that
_CELLS = 7

_SHORT_TIME = 32.0  # rounds over which the memory must fall, and before which nothing is noticed
_FALL = log(5.0)  # how far it must fall
_PATIENCE = 32.0  # for how many rounds
_ABSENCE = 0.1  # u / (1 + u) of an action whose return is worth watching
_APART = 9.0  # squared standard errors between what was expected of it and what is now


@compilable
class Lookout(NamedTuple):
    """What was noticed, and what is being watched."""

    notes: Vector  # (7,), see above

    def _limits(self) -> Limits:
        """Return the ranges of indices and counts; in Python only."""
        return [(self.notes[..., [CHANGED, CHANGES, _FALLEN, _MARKED]], 0, MOST)]

    def notice_nothing(self) -> None:
        """Start over."""
        for i in range(self.notes.size):
            self.notes[i] = 0.0

    def notice(self, log_memory: float, rounds: float) -> None:
        """Take note if the effective memory stays below a fifth of what it was.

        What it was is an average over the last 32 rounds, without those in which it was so low; it
        must be so low in 32 rounds in turn, for one surprise alone makes it fall and come back. The
        average starts over after each note, so that one change is noticed once, or once more if the
        memory falls as far again. Noise alone makes it do so once in a while.
        """
        notes = self.notes
        if rounds > _SHORT_TIME and log_memory < notes[_MEAN_MEMORY] - _FALL:
            notes[_FALLEN] += 1.0
            if notes[_FALLEN] == _PATIENCE:
                self.take_note(rounds - _PATIENCE + 1.0)
                notes[_MEAN_MEMORY] = log_memory
                notes[_FALLEN] = 0.0
        else:
            notes[_MEAN_MEMORY] += (log_memory - notes[_MEAN_MEMORY]) / _SHORT_TIME
            notes[_FALLEN] = 0.0

    def is_return(self, staleness: float, rounds: float) -> bool:
        """Return whether an action comes back after so long that it is worth watching.

        One at a time: for some rounds, what is watched stays.
        """
        is_free = rounds >= self.notes[_MARKED] + _PATIENCE
        return staleness > _ABSENCE * (1.0 + staleness) and (self.notes[_MARKED] == 0.0 or is_free)

    def is_watching(self) -> bool:
        """Return whether an action is being watched."""
        return bool(self.notes[_MARKED] > 0.0)

    def look_away(self) -> None:
        """Watch no action any more."""
        self.notes[_MARKED] = 0.0

    def keep_an_eye(self, mean: float, variance: float, rounds: float) -> None:
        """Keep what is expected of an action that comes back, before its reward is learnt from."""
        self.notes[_MARKED] = rounds + 1.0
        self.notes[_MARK_MEAN] = mean
        self.notes[_MARK_VARIANCE] = variance

    def compare(self, mean: float, variance: float, rounds: float) -> None:
        """Take note of a change if that action has become another one since.

        It had jumped while it went unseen. That moves its estimate and leaves the memory as it is.
        """
        notes = self.notes
        apart = mean - notes[_MARK_MEAN]
        if apart * apart > _APART * (variance + notes[_MARK_VARIANCE]):
            if rounds > _SHORT_TIME:
                self.take_note(notes[_MARKED])
            notes[_MARKED] = 0.0

    def take_note(self, shown: float) -> None:
        """Take note of a change; what shows soon after another one is part of it."""
        if self.notes[CHANGED] == 0.0 or shown > self.notes[CHANGED] + _PATIENCE:
            self.notes[CHANGES] += 1.0
            self.notes[CHANGED] = shown


def begin_lookout() -> Lookout:
    """Return a lookout that has noticed nothing."""
    return Lookout(np.zeros(_CELLS))
