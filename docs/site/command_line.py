"""The page about the command line, from the very commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer

from driftwise.cli import app

from .markdown import plain, table

__all__ = ["command_line_page"]

_TYPE = re.compile(r" <[^>]*>$")  # that of Python, which the sentence beside it makes plain
_INTRO = """\
# The command line

`driftwise COMMAND --help` says the same. Commands that answer with numbers take `--json`: one JSON object
on standard output, for programs. What is wrong with an argument is told in one sentence, with status 2.
"""


def command_line_page() -> str:
    """Return a section for every command: what it does, its arguments, its options."""
    group: Any = typer.main.get_command(app)
    return "\n".join([_INTRO, *_sections(group, ("driftwise",))])


def _sections(group: Any, path: tuple[str, ...]) -> Iterator[str]:
    for name, command in group.commands.items():
        here = (*path, name)
        yield f"{'#' * len(here)} {' '.join(here)}\n"
        yield f"{plain(inspect.cleandoc(command.help or ''))}\n"
        if hasattr(command, "commands"):
            yield from _sections(command, here)
            continue
        context = typer.Context(command, info_name=" ".join(here))
        yield f"    {command.get_usage(context).removeprefix('Usage: ')}\n"
        rows = [_row(each, context) for each in command.get_params(context)]
        yield table(("option", "means"), [row for row in rows if row is not None]) + "\n"


def _row(parameter: Any, context: Any) -> tuple[str, str] | None:
    record = parameter.get_help_record(context)
    if record is None or getattr(parameter, "hidden", False):
        return None
    names, means = record
    return f"`{_TYPE.sub('', names)}`", plain(means)
