"""`driftwise keys`: who may ask a service for what."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import Commands, input_errors
from ..options import AsJson

__all__ = ["add", "keys", "list_", "revoke"]

keys = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(keys, name="keys", help="Make, list and revoke the keys of a service.")

ProblemFile = Annotated[Path, typer.Argument(metavar="FILE", help="The problem file.")]
Log = Annotated[Path | None, typer.Option(help="The database; beside the problem file by default.")]


@keys.command()
def add(
    file: ProblemFile,
    scope: Annotated[
        list[str], typer.Option(help="decide, reward, read or admin; may be repeated.")
    ],
    note: Annotated[str, typer.Option(help="Whose it is.")] = "",
    days: Annotated[float | None, typer.Option(min=0.0, help="How long it is valid.")] = None,
    log: Log = None,
) -> None:
    """Make a key and print it; only its hash is kept, so it is shown this once."""
    from ...core.base.validation import require_known
    from ...service.keys import SCOPES, add_key
    from ...service.serving import log_of

    with input_errors():
        for each in scope:
            require_known("scope", each, SCOPES)
        if not file.exists():
            raise ValueError(f"FILE must exist, got {str(file)!r}")
        print(add_key(log_of(file, log), scope, note, days))


@keys.command("list")
def list_(file: ProblemFile, log: Log = None, as_json: AsJson = False) -> None:
    """List keys, without what they are proved by."""
    from ...service.keys import list_keys
    from ...service.serving import log_of
    from ..output import print_json

    with input_errors():
        path = log_of(file, log)
        found = list_keys(path) if path.exists() else []
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
    log: Log = None,
) -> None:
    """Take a key away; a service that runs notices within a second."""
    from ...service.keys import revoke_key
    from ...service.serving import log_of

    with input_errors():
        revoke_key(log_of(file, log), name)


def _date(moment: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
