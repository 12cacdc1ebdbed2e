"""`driftwise worlds`: all of them, or one in full and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from ..app import app
from ..completion import world_names
from ..errors import InputError, input_errors
from ..options import AsJson, DataFile, Modules, Seed, Settings, a_name, an_integer
from ..outside import names_from
from ..values import collect

__all__ = ["worlds"]


class _WithPlot(TyperCommand):
    """A command whose option ``--plot`` may stand alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words; what looks like a file and follows ``--plot`` belongs to it."""
        words = [
            "--plot=" if word == "--plot" and not _is_file(args[i + 1 : i + 2]) else word
            for i, word in enumerate(args)
        ]
        return super().parse_args(ctx, words)


@app.command(cls=_WithPlot)
def worlds(
    name: Annotated[
        str | None,
        a_name("NAME", "One world, described in full; by default all, in brief.", world_names),
    ] = None,
    horizon: Annotated[
        int | None, an_integer("T", "How many rounds it has; its own by default, or 30000.")
    ] = None,
    settings: Settings = None,
    data: DataFile = None,
    seed: Seed = 0,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE]",
            help="Draw how it drifts into a file, PNG or SVG; NAME.png here by default.",
        ),
    ] = None,
    modules: Modules = None,
    as_json: AsJson = False,
) -> None:
    """List the worlds: how each drifts, what it is made of.

    With a name: its settings, how far it moves, how often it changes. For example:
    `driftwise worlds Switching --set n_changes=7 --plot`
    """
    from ...experiments.analysis.world_facts import look_at
    from ...experiments.spec.catalogue import describe_all
    from ...registry import all_worlds, find_world
    from ..output import print_json
    from ..targets import require_picture
    from ..views.catalogue import print_worlds
    from ..views.portrait import print_world

    with names_from(modules), input_errors():
        given = collect({"horizon": horizon}, settings or [])
        if name is None and data is not None:
            name = "Recorded"
        if name is not None:
            find_world(name)
            target = None if plot is None else require_picture("plot", plot or f"{name}.png")
            look = look_at(name, given, data=data, seed=seed, is_made=target is not None)
            row = look.facts
            if target is not None:
                row["picture"] = _draw(look.world, seed, target)
        elif given or plot is not None:
            raise InputError("NAME must be given with --horizon, --set or --plot, got none")
        else:
            rows = describe_all(all_worlds().values())
    if as_json:
        print_json({"worlds": rows} if name is None else {"world": row})
    elif name is None:
        print_worlds(rows)
    else:
        print_world(row)


def _draw(world: Any, seed: int, target: Path) -> str:
    # Bring matplotlib, which the facts alone do without.
    from ...core.base.files import write
    from ...experiments.analysis.world_path import follow
    from ...experiments.figures.world_picture import draw_world

    kind: Literal["svg", "png"] = "svg" if target.suffix.lower() == ".svg" else "png"
    write(target, draw_world(follow(world, seed), kind=kind).files[kind])
    return str(target)


def _is_file(following: list[str]) -> bool:
    return any(not word.startswith("-") and ("." in word or "/" in word) for word in following)
