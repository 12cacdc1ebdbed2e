"""From a request to what is on offer: rows of numbers, arms by name or number; or a refusal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.base.arrays import Matrix
from ..core.base.validation import require_actions, require_known
from .learner import Learner
from .played import Offer
from .requests import DecisionRequest, RefusalError

__all__ = ["arms_in", "names_in", "offer_of"]


def offer_of(request: DecisionRequest, learner: Learner, user: bytes = b"") -> Offer:
    """Return what a request of a user offers; every error names the field and the rule."""
    problem = learner.problem
    try:
        rows = _rows(request, learner)
        count = len(problem.arms) or len(rows)  # type: ignore[arg-type]  # without arms there are rows
        names = problem.arms or names_in(request) or ()
        off = arms_in("off", request.off, names, count) if request.off else ()
        baseline: int | None = None
        if request.baseline is not None:
            (baseline,) = arms_in("baseline", [request.baseline], names, count)
        if request.user is not None and not problem.arms:
            raise ValueError(
                "user must be left out, since the problem has no arms to keep, got one"
            )
        fallback = problem.guards.fallback
        if learner.mode == "apprentice" and baseline is None:
            raise ValueError("baseline must be given in mode apprentice, got none")
        if learner.mode == "fallback" and fallback is not None and fallback >= count:
            raise ValueError(f"actions must have row {fallback}, the fallback, got {count} rows")
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusalError(422, str(error)) from None
    return Offer(rows, count, off, baseline, learner.users.get(user))


def names_in(request: DecisionRequest) -> tuple[str, ...] | None:
    """Return the names of actions that came with a request."""
    return tuple(request.actions) if isinstance(request.actions, dict) else None


def _rows(request: DecisionRequest, learner: Learner) -> Matrix | None:
    problem = learner.problem
    encoder, limits = problem.encoder, problem.limits
    if request.actions is None:
        if not problem.arms:
            raise ValueError("actions must be given, since the problem has no arms, got none")
        if learner.fixed is not None or encoder is None:
            return None
        return encoder.rows(request.context or {}, problem.features)
    if problem.arms:
        raise ValueError("actions must be left out, since the problem has arms, got some")
    if not 0 < len(request.actions) <= limits.actions:
        raise ValueError(f"actions must be 1 to {limits.actions}, got {len(request.actions)}")
    if len(request.actions) * problem.dimension > limits.numbers:
        raise ValueError(f"actions must have at most {limits.numbers} numbers, got more")
    if encoder is None:
        # Nearly always these are rows of floats, and asking for more takes as long as deciding does.
        rows = _plain_rows(request.actions, problem.dimension)
        if rows is not None:
            return rows
        return require_actions("actions", request.actions, shape=(None, problem.dimension))  # type: ignore[arg-type]  # checked there
    return encoder.rows(request.context or {}, request.actions)


def _plain_rows(actions: Any, dimension: int) -> Matrix | None:
    """Return rows of floats; None of what must be looked at closely. The agent refuses nan."""
    try:
        rows = np.array(actions)
    except ValueError:
        return None
    is_plain = rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == dimension
    return rows if is_plain else None


def arms_in(field: str, given: Iterable[Any], names: tuple[str, ...], count: int) -> list[int]:
    """Return the numbers of arms that are given by number or by name."""
    found = []
    for each in given:
        if isinstance(each, str):
            found.append(names.index(require_known(field, each, names)))
        elif each < count:
            found.append(each)
        else:
            raise ValueError(f"{field} must be below {count}, the number of arms, got {each}")
    return found
