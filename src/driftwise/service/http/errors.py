"""Errors as RFC 9457 has them: what is wrong, and where in the request."""

from __future__ import annotations

import re
from http import HTTPStatus

import msgspec

from ..requests import RefusalError

__all__ = ["Problem", "problem_of", "refusal_of"]

_AT = re.compile(r"^(.*) - at `\$\.?(.*)`$", re.DOTALL)


class Problem(msgspec.Struct, omit_defaults=True):
    """What is wrong."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    at: str = ""  # the place in the request


def refusal_of(error: Exception) -> RefusalError:
    """Return an error in a request's body as a refusal."""
    if isinstance(error, RefusalError):
        return error
    if isinstance(error, msgspec.ValidationError):
        return RefusalError(422, str(error))
    return RefusalError(400, f"the body must be JSON: {error}")


def problem_of(refusal: RefusalError) -> Problem:
    """Return what a refusal tells."""
    found = _AT.match(refusal.detail)
    detail, at = (found[1], found[2]) if found else (refusal.detail, "")
    return Problem(HTTPStatus(refusal.status).phrase, refusal.status, detail, at=at)
