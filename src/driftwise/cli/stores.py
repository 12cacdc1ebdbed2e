"""Options that say where the log of a service is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..service.stores.places import Place

__all__ = ["LogOption", "StoreOption", "place", "store_of"]

StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="DRIFTWISE_STORE",
        help="Where the log is: postgresql://user@host/database, which several nodes may share, or "
        "a file of SQLite; beside the problem file by default.",
    ),
]
LogOption = Annotated[
    Path | None, typer.Option(help="A file of SQLite, as --store takes it, too.", hidden=True)
]


def store_of(store: str | None, log: Path | None) -> str | None:
    """Return where the log is, by whichever option was given."""
    return store if log is None else str(log)


def place(file: Path, store: str | None, log: Path | None) -> Place:
    """Return where log and keys of a problem file are."""
    from ..service.problem.reading import read_problem
    from ..service.stores.places import place_of

    return place_of(store_of(store, log), file, read_problem(file).name)
