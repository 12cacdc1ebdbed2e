"""The application: what all commands share, and what is said without one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .errors import Commands

__all__ = ["DOORS", "app"]

# The commands by what one wants, in the order of the help.
DOORS = {
    "Reproduce and compare": (
        "reproduce", "run", "experiments", "results", "simulate", "gallery", "windows",
    ),
    "Choose a policy": ("recommend", "policies", "worlds"),
    "Learn from a log": ("log", "features", "forgetting", "evaluate"),
    "Serve decisions": ("serve", "service", "keys"),
    "This installation": ("doctor", "warm-up", "cache"),
}  # fmt: skip


class Doors(Commands):
    """All commands, grouped by what one wants."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a paragraph for each door."""
        widest = max(map(len, self.commands))
        for door, names in DOORS.items():
            rows = [
                (f"{each:<{widest}}", self.commands[each].get_short_help_str(80)) for each in names
            ]
            with formatter.section(door):
                formatter.write_dl(rows)


app = typer.Typer(
    cls=Doors,
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
