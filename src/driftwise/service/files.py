"""The problem files of a log: its first, those that declared more since, and the one that is given now."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from .events import Begun, Operated, event_of
from .problem.reading import problem_in
from .problem.settings import Problem
from .stores.protocol import Log

__all__ = ["files_in", "problem_at_first", "require_same"]

# What no replay depends on: of the policy the log tells.
_FREE = ("policy", "shadow", "log", "limits", "template")
_FIXED_LIMITS = ("remembered", "users")  # by which the state forgets


def files_in(begun: Begun, log: Log) -> list[tuple[int, str]]:
    """Return the problem files of a log, and the last event before each: its first, and those that declared more."""
    later = ((row.seq, event_of(row).body) for row in log.operations())
    more = [
        (seq, body.problem) for seq, body in later if isinstance(body, Operated) and body.problem
    ]
    return [(0, begun.problem), *more]


def problem_at_first(problem: Problem, files: Sequence[tuple[int, str]]) -> Problem:
    """Return the problem as it was when its log began, or say that it is another one.

    The policy may have been changed since by an operation, which the log tells: then the file may say
    what it said at first, or what holds now. What no replay depends on may change with the file: shadows, how
    many problems of a template are in memory, what is kept of a decision, and most limits.

    Parameters
    ----------
    problem
        As its file has it now.
    files
        As `files_in` tells.
    """
    (_, first), (_, last) = files[0], files[-1]
    require_same(tomllib.loads(last), tomllib.loads(problem.text))
    if tomllib.loads(first) == tomllib.loads(problem.text):  # comments may change
        return problem
    then = problem_in(first, problem.name)
    limits = {name: getattr(then.limits, name) for name in _FIXED_LIMITS}
    return replace(then, limits=replace(problem.limits, **limits), log=problem.log)


def require_same(before: dict[str, Any], now: dict[str, Any], free: Sequence[str] = ()) -> None:
    """Refuse a problem file that says something else than the log goes by.

    Parameters
    ----------
    before, now
        The file of the log, and the one that is given.
    free
        Keys that may change besides what no replay depends on.
    """
    was, is_now = (dict(_fixed(file, free)) for file in (before, now))
    for key in sorted(was.keys() | is_now.keys()):
        if was.get(key) != is_now.get(key):
            raise ValueError(
                f"{key} of the problem file must be {_told(was.get(key))}, as in the log, got "
                f"{_told(is_now.get(key))}; `driftwise log extend` adds fields, values and arms, and a file "
                "with another name begins a log of its own"
            )


def _fixed(file: dict[str, Any], free: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield what a problem file must go on to say, each by its key."""
    limits = file.get("limits", {})
    for name in _FIXED_LIMITS:
        yield f"limits.{name}", limits.get(name)
    yield "[template]", "template" in file or None
    for key, value in file.items():
        if key in _FREE or key in free:
            continue
        if isinstance(value, dict):
            yield from ((f"{key}.{name}", each) for name, each in value.items())
        else:
            yield key, value


def _told(value: Any) -> str:
    return "left out" if value is None else repr(value)
