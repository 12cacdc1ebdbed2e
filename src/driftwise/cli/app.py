"""The application: what all commands share, and what is said without one."""

from __future__ import annotations

from typing import Annotated

import typer

from .errors import Commands

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,  # plain help: frames waste a third of a narrow window
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def driftwise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Make decisions that keep up with a changing world: linear bandits under drift."""
    if version:
        from .. import __version__

        typer.echo(f"driftwise {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
