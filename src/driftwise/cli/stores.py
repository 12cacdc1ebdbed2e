"""Options that say where the log of a service is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..service.problem.settings import Problem
    from ..service.stores.places import Place
    from ..service.stores.protocol import Log

__all__ = [
    "LogOption", "MemberOption", "StoreOption", "log_of", "place", "require_member", "store_of"
]  # fmt: skip

StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="DRIFTWISE_STORE",
        help="Where the log is: postgresql://user@host/database, which several nodes may share, or "
        "a file of SQLite; beside the problem file by default.",
    ),
]
MemberOption = Annotated[
    str | None,
    typer.Option(
        "--problem", metavar="TEMPLATE.NAME", help="Which problem, where the file is a template."
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


def log_of(problem: Problem, file: Path, store: str | None, member: str | None) -> Log:
    """Open the log of a problem, or of one problem of a template, to read it."""
    from ..service.stores.places import place_of

    require_member(problem, member)
    found = place_of(store, file, problem.name)
    return (found if member is None else found.member(member)).log()


def require_member(problem: Problem, member: str | None) -> None:
    """Refuse a name that no problem of this file can have."""
    if member is None and problem.template is None:
        return
    if problem.template is None:
        raise ValueError(f"problem must be left out, as {problem.name} is no template")
    if member is None or not member.startswith(f"{problem.name}."):
        raise ValueError(f"problem must be such as {problem.name}.NAME, got {member!r}")
