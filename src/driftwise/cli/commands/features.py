"""`driftwise features`: how dictionaries become rows."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import Commands, input_errors
from ..options import AsJson, an_integer

__all__ = ["features"]

features = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(features, name="features")


@features.callback(invoke_without_command=True)
def group(context: typer.Context) -> None:
    """Propose how to encode contexts and actions."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@features.command()
def suggest(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A log: JSON Lines (.jsonl, .ndjson), Parquet or CSV.",
            show_default=False,
        ),
    ],
    first: Annotated[int, an_integer("N", "How many events to look at.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Propose a declaration, as TOML, from the first events of a log.

    Nothing later than them is read. Look it over and keep it: driftwise features suggest
    log.jsonl --first 1000 > features.toml
    """
    from ...features import suggest as propose
    from ..output import print_json

    with input_errors():
        text = propose(file, first)
    if as_json:
        print_json(tomllib.loads(text))
    else:
        print(text, end="")
