"""`driftwise experiments`: what comes with the package, and how a file of one's own looks."""

from __future__ import annotations

import tomllib
from typing import Annotated

from ..app import app
from ..completion import experiment_names
from ..errors import input_errors
from ..options import AsJson, Modules, a_flag, a_name
from ..outside import names_from

__all__ = ["experiments"]


@app.command()
def experiments(
    name: Annotated[
        str | None,
        a_name(
            "NAME", "Print the file of this experiment: a start for your own.", experiment_names
        ),
    ] = None,
    schema: Annotated[
        bool, a_flag("--schema", "Print the JSON Schema of experiment files, for editors.")
    ] = False,
    modules: Modules = None,
    as_json: AsJson = False,
) -> None:
    """List the experiments that `driftwise run` knows by name."""
    from ...experiments.spec.builtin import builtin_names, find_experiment, text_of
    from ..output import grid, print_json, show

    with names_from(modules):
        if schema:
            from ...experiments.spec.schema import schema as make_schema

            print_json(make_schema())
        elif name is not None:
            with input_errors():
                text = text_of(name)
            if as_json:
                print_json(tomllib.loads(text))
            else:
                print(text, end="")
        else:
            found = {each: find_experiment(each) for each in builtin_names()}
            if as_json:
                rows = [
                    {"name": each, "title": one.title, "description": one.description}
                    for each, one in found.items()
                ]
                print_json({"experiments": rows})
            else:
                show(grid((each, one.title) for each, one in found.items()))
