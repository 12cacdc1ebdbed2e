"""Packages that only some features need: if one is missing, how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["needed_for"]


@contextmanager
def needed_for(what: str, extra: str = "experiments") -> Iterator[None]:
    """Say which extra to install if what is imported inside is not there.

    Examples
    --------
    >>> with needed_for("Run.plot"):
    ...     import no_such_package
    Traceback (most recent call last):
    ModuleNotFoundError: Run.plot needs no_such_package: pip install 'driftwise[experiments]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{what} needs {error.name}: pip install 'driftwise[{extra}]'", name=error.name
        ) from None
