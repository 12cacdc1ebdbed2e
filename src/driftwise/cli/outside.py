"""Names from outside the package: modules that a person names, plug-ins that are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from .errors import InputError, input_errors

__all__ = ["names_from"]


@contextmanager
def names_from(modules: Sequence[str] | None) -> Iterator[None]:
    """Add the policies and worlds of these modules; say which plug-ins had to be left out.

    A policy that chooses an arm that is not there is a mistake of its author, not a bug.
    """
    from ..registry import broken_plugins, including

    with ExitStack() as inside:
        with input_errors():
            inside.enter_context(including(modules or []))
        try:
            yield
        except ValueError as error:
            from ..core.contract.rows import NoSuchArmError  # brings the compiler

            if isinstance(error, NoSuchArmError):
                raise InputError(str(error)) from error
            raise
        finally:
            for sentence in broken_plugins():
                print(f"Warning: {sentence}", file=sys.stderr)
