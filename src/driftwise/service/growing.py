"""A declaration that grows while its log goes on: what may be added, and where old rows are then."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix
from ..features.encoder import Encoder
from ..features.extension import Extension, extension_of
from ..features.reading import encoder_in
from .events import Decided
from .problem.reading import ENCODER_KEYS, problem_in
from .problem.settings import Problem

__all__ = ["DECLARED", "Former", "former_of", "grown", "require_grown", "rows_in"]

DECLARED = ("arms", *ENCODER_KEYS)  # keys of a problem file


class Former(NamedTuple):
    """What rows were like until an event, and where their numbers are in those that came next."""

    last: int  # the event
    fixed: Matrix | None  # the decision set, if no request changed it
    dimension: int
    columns: NDArray[np.intp]
    factor: float
    next_dimension: int

    def widened(self, rows: Matrix) -> Matrix:
        """Return rows as they would have been with what was added, of which nothing was there."""
        wider = np.zeros((len(rows), self.next_dimension))
        wider[:, self.columns] = rows / self.factor
        return wider


def grown(problem: Problem, text: str) -> Problem:
    """Return a problem with the declaration of another file; what no replay depends on stays."""
    return replace(problem_in(text, problem.name), limits=problem.limits, log=problem.log)


def require_grown(before: Problem, after: Problem) -> None:
    """Refuse a file that declares other things, or no more than another one did."""
    declared = [
        {key: each for key, each in tomllib.loads(problem.text).items() if key in DECLARED}
        for problem in (before, after)
    ]
    if declared[0] == declared[1]:
        raise ValueError("the problem file must declare more than the log does, got the same")
    if after.arms[: len(before.arms)] != before.arms or bool(before.arms) != bool(after.arms):
        raise ValueError(
            f"arms must begin with those of the log, {_words(before.arms)}, got {_words(after.arms)}"
        )
    for arm in before.arms:
        given: Mapping[str, Any] = after.features[arm]
        for key, value in before.features[arm].items():
            if given.get(key) != value:
                raise ValueError(
                    f"arms.{arm}.{key} must stay {value!r} in a declaration that goes on, got {given.get(key)!r}"
                )
    _extension(before, after)


def former_of(
    before: Problem, after: Problem, fixed: Matrix | None, last: int, *, plays_arms: bool
) -> Former:
    """Return what rows were like until an event.

    Parameters
    ----------
    before, after
        The problem until the event, and from then on.
    fixed
        The decision set until then, if no request changed it.
    last
        The event.
    plays_arms
        Whether the policy plays arms from then on.
    """
    if plays_arms:
        old = len(before.arms)
        return Former(last, fixed, old, np.arange(old), 1.0, len(after.arms))
    columns, factor = _extension(before, after)
    return Former(last, fixed, before.dimension, columns, factor, after.dimension)


def rows_in(
    body: Decided, fixed: Matrix | None, dimension: int, formers: Sequence[Former]
) -> Matrix:
    """Return the rows that an event holds, as they are after all that was declared since.

    Parameters
    ----------
    body
        The event.
    fixed, dimension
        What rows are like now.
    formers
        What they were like before, the oldest first.
    """
    since = [each for each in formers if body.seq <= each.last]
    if since:
        fixed, dimension = since[0].fixed, since[0].dimension
    if body.rows:
        rows = np.frombuffer(body.rows).reshape(-1, dimension).copy()
    else:
        assert fixed is not None
        rows = fixed if body.offered is None else fixed[body.offered]
    for each in since:
        rows = each.widened(rows)
    return rows


def _extension(before: Problem, after: Problem) -> Extension:
    if before.encoder is None and after.encoder is None:
        return Extension(np.arange(before.dimension), 1.0)
    if after.encoder is None:
        raise ValueError("fields must stay in a declaration that goes on, got none")
    return extension_of(before.encoder or _of_arms(before), after.encoder)


def _of_arms(problem: Problem) -> Encoder:
    """Return what declares arms without features: a constant of each."""
    always = {"kind": "constant", "alone": False}
    own = {"names": list(problem.arms), "terms": ["context.always"]}
    return encoder_in("", {"context": {"always": always}, "per_action": own})


def _words(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
