"""`driftwise results`: looking at what a run has left, in tables and in other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..complaints import complaints
from ..options import AsJson, Modules, a_whole_number
from ..outside import names_from

__all__ = ["results"]


@app.command()
def results(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders that `driftwise run` has written."),
    ],
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every number to a CSV file."),
    ] = None,
    merge: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the results of all folders into this one."),
    ] = None,
    at: Annotated[
        int | None,
        a_whole_number("ROUND", "Compare at this round; at the last one if left out."),
    ] = None,
    modules: Modules = None,
    as_json: AsJson = False,
) -> None:
    """Print who did how well; export to CSV; merge folders."""
    from ...core.base.files import write
    from ...experiments.analysis.summary import summarise
    from ..experimenting import load_all, stand_all
    from ..output import print_json, show
    from ..standing import standings_table
    from ..targets import require_file

    with names_from(modules), complaints():
        if csv is not None:
            require_file("csv", csv)
        numbers, origins = load_all(folders, merge)
        standings, best = stand_all(numbers, origins, at)
        if csv is not None:
            # It is of the whole run, and here it stands beside the regret so far.
            clear = numbers.rename({"total_reward": "total_reward_at_end"})
            write(csv, clear.write_csv().encode())
    if as_json:
        print_json(
            {
                "origins": [origin._asdict() for origin in origins],
                "standings": summarise(standings, best).to_dicts(),
            }
        )
    else:
        show(*(part for each in standings for part in standings_table(each, best[each.key])))
