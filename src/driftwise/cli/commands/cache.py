"""`driftwise cache`: the machine code that is kept on disk."""

from __future__ import annotations

import typer

from ..app import app
from ..errors import Commands, disk_errors
from ..options import AsJson

__all__ = ["cache", "clear"]

cache = typer.Typer(cls=Commands, rich_markup_mode=None)
app.add_typer(cache, name="cache", help="Manage compiled policies on disk.")


@cache.callback()
def driftwise_cache() -> None:
    """Manage compiled policies on disk; `driftwise doctor` shows them."""


@cache.command()
def clear(as_json: AsJson = False) -> None:
    """Remove all compiled policies; what is used again is compiled again."""
    from ...core.compiler import kept
    from ...core.compiler.machine_code import folder
    from ..output import print_json

    with disk_errors():
        n_files, n_bytes = kept.clear()
    if as_json:
        print_json({"folder": str(folder()), "files": n_files, "bytes": n_bytes})
    else:
        print(f"removed {n_files:,} files, {n_bytes / 1e6:,.1f} MB, from {folder()}")
