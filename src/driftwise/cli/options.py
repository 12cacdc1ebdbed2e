"""Options: those that several commands have, and the two kinds of number that all others are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from .values import integer, number

__all__ = [
    "AsJson",
    "DataFile",
    "Delay",
    "Folder",
    "Jobs",
    "Modules",
    "Noise",
    "Quiet",
    "Seed",
    "Settings",
    "Variation",
    "a_flag",
    "a_name",
    "a_number",
    "an_integer",
]


def an_integer(metavar: str, sentence: str) -> Any:
    """Return an option that takes an integer."""
    return typer.Option(metavar=metavar, parser=integer, help=sentence)


def a_number(metavar: str, sentence: str) -> Any:
    """Return an option that takes a number."""
    return typer.Option(metavar=metavar, parser=number, help=sentence)


def a_flag(name: str, sentence: str) -> Any:
    """Return an option that takes nothing."""
    return typer.Option(name, help=sentence)


def a_name(metavar: str, sentence: str, completes: Callable[[], list[str]]) -> Any:
    """Return an argument that takes a name, which the shell completes."""
    return typer.Argument(metavar=metavar, help=sentence, autocompletion=completes)


AsJson = Annotated[bool, a_flag("--json", "Print one JSON document instead of text.")]
Quiet = Annotated[bool, a_flag("--quiet", "Show no progress on standard error.")]
Seed = Annotated[int, an_integer("N", "The seed of all randomness.")]
Jobs = Annotated[
    int | None,
    an_integer(
        "N",
        "How many runs to play at a time, which changes no result; as many as there are "
        "processors by default.",
    ),
]
Folder = Annotated[Path, typer.Option(metavar="DIR", help="Folder for all that is written.")]
Modules = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="MODULE",
        help="A module with policies or worlds of your own: a dotted name, importable from the "
        "current folder, or the path of a .py file; may be repeated.",
    ),
]
DataFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A CSV or Parquet file of your own records, for the world Recorded.",
    ),
]
Variation = Annotated[
    float | None,
    a_number("B", "How far the world's parameter may move in total; the world's own by default."),
]
Noise = Annotated[
    float | None,
    a_number("R", "Standard deviation of the rewards' noise; the world's own by default."),
]
Delay = Annotated[
    str | None,
    typer.Option(
        metavar="DELAY",
        help="How many rounds late rewards come, or a law of it with its settings: 100, "
        "geometric:100, heavy-tailed:10, batches:50, missing:0.5:geometric:100; the world's own "
        "by default.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting of the policy or the world, as in window=500, policy.noise=0.2 "
        "or world.rewards=bernoulli; may be repeated.",
    ),
]
