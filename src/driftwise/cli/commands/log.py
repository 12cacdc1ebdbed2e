"""`driftwise log`: what is in a log, whether it is sound, and the same log in another form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import Commands, input_errors
from ..options import AsJson, a_number

__all__ = ["check", "convert", "log"]

log = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(log, name="log", help="Check a log of decisions, or write it in another form.")

LogFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A log: JSON Lines, dsjson, Parquet, or CSV with a mapping."
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Its form: jsonl, dsjson, parquet or csv; by the end of the name if left out.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="FIELD=COLUMN",
        help="For CSV: which column is which field, as in reward=clicked; may be repeated; for "
        "propensities the columns of all actions, with commas.",
    ),
]
Context = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="For CSV: the columns of the context, with commas."),
]
Actions = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="For CSV: the names of what could be chosen, with commas."),
]


@log.command()
def check(
    file: LogFile,
    wait: Annotated[
        float | None, a_number("TIME", "How long a reward is waited for, in units of time.")
    ] = None,
    form: Form = None,
    column: Columns = None,
    context: Context = None,
    actions: Actions = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a log can be trusted, and what to do if not.

    Support, effective sample, propensities, duplicates, unknown ids, late and missing rewards, gaps,
    and whether drift could be told. The exit code is 1 if something makes estimates wrong.
    """
    from ..logbook import read
    from ..output import answer

    with input_errors():
        found = read(file, form, column, context, actions).soundness(wait=wait)
    answer(found, as_json)
    if not found.is_sound:
        raise typer.Exit(1)


@log.command()
def convert(
    file: LogFile,
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="What to write: a .jsonl or .parquet file.")
    ],
    form: Form = None,
    column: Columns = None,
    context: Context = None,
    actions: Actions = None,
    as_json: AsJson = False,
) -> None:
    """Write a log as JSON Lines or Parquet, all of it or nothing."""
    from ..logbook import read, require_target
    from ..output import print_json

    with input_errors():
        require_target(target)
        events = read(file, form, column, context, actions)
        events.write(target)
    if as_json:
        print_json({"events": len(events), "target": str(target)})
    else:
        print(f"{len(events):,} events written to {target}")
