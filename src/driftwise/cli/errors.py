"""Bad input: what counts as such, and the one sentence that reports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer
from typer.core import TyperGroup

__all__ = [
    "Commands",
    "InputError",
    "Misuse",
    "disk_errors",
    "input_errors",
    "sentence_of",
    "service_errors",
]

# What Typer raises about a command line that it cannot read. Some versions take it from Click and
# others have their own; all of them make this one subclass of it public.
Misuse = cast(type[Exception], typer.BadParameter.__bases__[0])


_LONGEST = 1500  # characters: the names of all policies, and what was typed instead of one


class InputError(Exception):
    """Something that a person typed is wrong; the message says what."""


@contextmanager
def input_errors() -> Iterator[None]:
    """Turn errors into `InputError`: wrap what checks the input, and nothing else.

    Outside of such a block the same errors are bugs, and show where they come from.
    """
    try:
        yield
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise InputError(str(error)) from error
    except MemoryError as error:
        raise InputError(f"this needs more memory than there is ({error})") from error
    except RecursionError as error:
        raise InputError("lists and tables must not be nested so deeply") from error


@contextmanager
def disk_errors() -> Iterator[None]:
    """Turn errors of files into `InputError`: a full disk is nobody's bug.

    For work whose input was checked before: a ``ValueError`` out of hours of it is a bug.
    """
    try:
        yield
    except OSError as error:
        raise InputError(str(error)) from error


@contextmanager
def service_errors() -> Iterator[None]:
    """Turn what a service, its log or its database refuses into `InputError`, too."""
    from ..service.client import ClientError
    from ..service.events import DamageError
    from ..service.requests import RefusalError
    from ..service.stores.protocol import StoreError
    from ..service.stores.sqlite import LockedError

    with input_errors():
        try:
            yield
        except (ClientError, DamageError, LockedError, RefusalError, StoreError) as error:
            raise InputError(str(error)) from error


class Commands(TyperGroup):
    """A group of commands that names the nearest one if there is none of that name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first of ``args`` names."""
        _require_known("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def sentence_of(error: Any) -> str:
    """Return an error as one sentence on one line, cut short if it is very long."""
    sentence = " ".join(_message_of(error).split()).rstrip(".")
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]} ..."


def _message_of(error: Any) -> str:
    if isinstance(error, InputError):
        return str(error)
    if hasattr(error, "possibilities"):  # an unknown option
        names = [name for each in error.ctx.command.get_params(error.ctx) for name in each.opts]
        options = [name for name in names if name.startswith("-")]
        try:
            _require_known("option", error.option_name, options)
        except InputError as unknown:
            return str(unknown)
    parameter = getattr(error, "param", None)
    if parameter is not None:  # refused by one of the readers in `values`, or not there
        return f"{parameter.name} {error.message or 'must be given'}"
    return str(error.format_message())


def _require_known(what: str, name: str, known: list[str]) -> None:
    # Not above: it brings NumPy, which `--help` need not wait for.
    from ..core.base.validation import require_known

    with input_errors():
        require_known(what, name, known)
