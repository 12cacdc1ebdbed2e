"""Errors as RFC 9457 has them: what is wrong, and where in the request."""

from __future__ import annotations

import json
import re
import traceback
from http import HTTPStatus

import msgspec
from msgspec import UNSET, UnsetType

from ..logs import say
from ..requests import RefusalError

__all__ = ["UNREADABLE", "Problem", "fault_at", "problem_of", "refusal_of"]

# What decoding a body may raise: also of strings that are not UTF-8, and of lists in lists without end.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_AT = re.compile(r"^(.*) - at `\$\.?(.*)`$", re.DOTALL)


class Problem(msgspec.Struct):
    """What is wrong."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"  # nothing to be read beside the title of the status
    at: str | UnsetType = UNSET  # the place in the request


def refusal_of(error: Exception, body: bytes = b"") -> RefusalError:
    """Return an error in a request's body as a refusal."""
    if isinstance(error, RefusalError):
        return error
    if isinstance(error, msgspec.ValidationError):
        return RefusalError(422, str(error))
    if found := _not_numbers(body):
        return RefusalError(422, f"numbers must be finite, got {found[0]}")
    return RefusalError(400, f"the body must be JSON: {error}")


def fault_at(route: str, error: Exception) -> RefusalError:
    """Say what nobody has thought of, where the operator looks, and return what is told."""
    trace = "".join(traceback.format_exception(error))
    say("fault", route=route, reason=repr(error), trace=trace)
    return RefusalError(500, "the service failed; what it writes to standard error says how")


def _not_numbers(body: bytes) -> list[str]:
    """Return the NaN and Infinity of a body that is JSON but for them, as many programs write them."""
    found: list[str] = []
    try:
        json.loads(body, parse_constant=found.append)
    except (ValueError, RecursionError):
        return []
    return found


def problem_of(refusal: RefusalError) -> Problem:
    """Return what a refusal tells."""
    found = _AT.match(refusal.detail)
    detail, at = (found[1], found[2] or UNSET) if found else (refusal.detail, UNSET)
    return Problem(HTTPStatus(refusal.status).phrase, refusal.status, detail, at=at)
