"""`driftwise doctor`: what this installation has, and what is missing for which feature."""

from __future__ import annotations

from ..app import app
from ..options import AsJson

__all__ = ["doctor"]


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Show what is installed, compiled and missing.

    A policy counts as compiled if agents find it in the cache folder; `driftwise warm-up` puts it there,
    and so does its first use.
    """
    from ..diagnosis import diagnose
    from ..output import print_json
    from ..views.health import print_health

    found = diagnose()
    if as_json:
        print_json(found)
    else:
        print_health(found)
