"""All shadows of one problem, which follow its log from the beginning."""

from __future__ import annotations

from itertools import islice

from ..events import OPERATED, LeftOut, Operated, Row, event_of
from ..files import files_in, problem_at_first
from ..problem.settings import Problem
from ..replay import archived_state, begun_in
from ..stores.protocol import Log
from .scoring import Following, Standing

__all__ = ["Follower"]


class Follower:
    """Reads a log that somebody else writes.

    Parameters
    ----------
    problem
        With its shadows.
    log
        Of that problem.
    """

    def __init__(self, problem: Problem, log: Log) -> None:
        self._problem, self._log = problem, log
        self._following: list[Following] | None = None  # None: from the beginning
        self._left_out: list[LeftOut] = []

    def follow(self, most: int) -> int:
        """Read some events that have come since; return how many that were."""
        if self._following is None and not self._begin():
            return 0
        assert self._following is not None
        after = self._following[0].seq
        rows = list(islice(self._log.read(after=after, until=after + most), most))
        for row in rows:
            if row.kind == OPERATED and self._is_censored_anew(row):
                # What is censored now was learnt already.
                self._following = None
                return len(rows)
            for each in self._following:
                each.take((row,))
        return len(rows)

    def standings(self) -> list[Standing]:
        """Return how all shadows do."""
        return [each.standing for each in self._following or ()]

    def _begin(self) -> bool:
        begun = begun_in(self._log)
        if begun is None:
            return False
        files = files_in(begun, self._log)
        first = problem_at_first(self._problem, files)
        bodies = [event_of(row).body for row in self._log.operations()]
        operations = [body for body in bodies if isinstance(body, Operated)]
        self._left_out = [each for body in operations for each in body.left_out]
        self._following = [
            Following(first, shadow, self._left_out, archived_state(first, self._log), files[1:])
            for shadow in self._problem.shadows
        ]
        return True

    def _is_censored_anew(self, row: Row) -> bool:
        body = event_of(row).body
        assert isinstance(body, Operated)
        return any(each not in self._left_out for each in body.left_out)
