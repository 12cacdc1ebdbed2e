"""The name that was probably meant by one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["hint_of"]


def hint_of(name: str, known: Iterable[str]) -> str:
    """Return a question to end an error with, or nothing if no known name is near.

    Examples
    --------
    >>> hint_of("AdaptiveUcb", ["AdaptiveUCB", "LinUCB"])
    "; did you mean 'AdaptiveUCB'?"
    >>> hint_of("Zebra", ["AdaptiveUCB", "LinUCB"])
    ''
    """
    import difflib  # here, since only mistakes need it, and every start would pay for it

    lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    return f"; did you mean {lower[near[0]]!r}?" if near else ""
