"""Names and words as they are written, so that no two of them are written alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

__all__ = ["quoted", "spelled", "twice_in"]

_BARE = re.compile("[A-Za-z0-9_-]+")


def spelled(text: str) -> str:
    """Return a text as it is if nothing in it can be misread, otherwise in quotes.

    Examples
    --------
    >>> print(spelled("price"), spelled("unit price"))
    price "unit price"
    """
    return text if _BARE.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return a text in quotes, as JSON and TOML both read it."""
    # TOML takes no pairs of surrogates for a character, and refuses one that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def twice_in(words: Iterable[str]) -> str | None:
    """Return the first word that comes again, or None.

    Examples
    --------
    >>> twice_in(["blue", "red", "blue"])
    'blue'
    """
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return None
