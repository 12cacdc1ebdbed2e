"""`driftwise results`: looking at what a run has left, in tables and in other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..app import app
from ..errors import InputError, input_errors
from ..options import AsJson, Modules, an_integer
from ..outside import names_from

__all__ = ["results"]


@app.command()
def results(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders that `driftwise run` has written."),
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
        an_integer("ROUND", "Compare at this round; at the last one by default."),
    ] = None,
    modules: Modules = None,
    as_json: AsJson = False,
) -> None:
    """Print who did how well; export to CSV; merge folders."""
    from ...core.base.files import write
    from ...experiments.analysis.comparison import compare
    from ...experiments.analysis.summary import summarise
    from ...experiments.execution.results import load_results, merge_results
    from ..output import print_json, show
    from ..targets import require_file
    from ..views.standing import standings_table

    with names_from(modules), input_errors():
        if csv is not None:
            require_file("csv", csv)
        if merge is not None:
            merge.mkdir(parents=True, exist_ok=True)
            merge_results(folders, merge)
        elif len(folders) > 1:
            raise InputError("several folders must be merged to be compared: add --merge DIR")
        numbers, origins = load_results(folders[0] if merge is None else merge)
        standings, best = compare(numbers, origins, round_=at)
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
