"""`driftwise keys`: who may ask a service for what."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import Commands, input_errors
from ..options import AsJson
from ..stores import LogOption, StoreOption, place

__all__ = ["add", "keys", "list_", "revoke"]

keys = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(keys, name="keys", help="Make, list and revoke the keys of a service.")

ProblemFile = Annotated[Path, typer.Argument(metavar="FILE", help="The problem file.")]


@keys.command()
def add(
    file: ProblemFile,
    scope: Annotated[
        list[str], typer.Option(help="decide, reward, read or admin; may be repeated.")
    ],
    note: Annotated[str, typer.Option(help="Whose it is.")] = "",
    days: Annotated[float | None, typer.Option(min=0.0, help="How long it is valid.")] = None,
    store: StoreOption = None,
    log: LogOption = None,
) -> None:
    """Make a key and print it; only its hash is kept, so it is shown this once."""
    from ...core.base.validation import require_known
    from ...service.keys import SCOPES, add_key
    from ..offline import author

    with input_errors():
        for each in scope:
            require_known("scope", each, SCOPES)
        print(add_key(place(file, store, log), scope, note, days, author()))


@keys.command("list")
def list_(
    file: ProblemFile, store: StoreOption = None, log: LogOption = None, as_json: AsJson = False
) -> None:
    """List keys, without their secrets."""
    from ...service.keys import list_keys
    from ..output import print_json

    with input_errors():
        found = list_keys(place(file, store, log))
    rows = [
        {
            "id": key.id,
            "scopes": sorted(key.scopes),
            "made": _date(key.made),
            "expires": None if key.expires is None else _date(key.expires),
            "note": key.note,
        }
        for key in found
    ]
    if as_json:
        print_json({"keys": rows})
        return
    for row in rows:
        print(
            f"{row['id']}  {','.join(row['scopes'] or []):<24} {row['expires'] or 'for good'}  {row['note']}"
        )


@keys.command()
def revoke(
    file: ProblemFile,
    name: Annotated[str, typer.Argument(metavar="ID", help="As `driftwise keys list` shows it.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="The reason, for the log.")],
    store: StoreOption = None,
    log: LogOption = None,
) -> None:
    """Take a key away; a running service notices within a second."""
    from ...service.keys import revoke_key
    from ..offline import author

    with input_errors():
        revoke_key(place(file, store, log), name, author(), why)


def _date(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
