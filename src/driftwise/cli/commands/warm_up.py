"""`driftwise warm-up`: compile ahead."""

from __future__ import annotations

from typing import Annotated

import typer

from ..app import app
from ..completion import policy_names
from ..errors import input_errors
from ..options import Modules, a_flag
from ..outside import names_from

__all__ = ["warm_up"]


@app.command(name="warm-up")
def warm_up(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POLICY",
            help="Names from `driftwise policies`; AdaptiveUCB by default.",
            show_default=False,
            autocompletion=policy_names,
        ),
    ] = None,
    everything: Annotated[bool, a_flag("--all", "Compile every policy: several minutes.")] = False,
    modules: Modules = None,
) -> None:
    """Compile policies ahead, for images and servers.

    What is compiled is kept in your cache folder, see `driftwise doctor`, for agents and simulations
    with arms and with decision sets that change.
    """
    from ...core.compiler.machine_code import folder
    from ...experiments.setup.warming import compile_ahead
    from ...registry import all_policies, find_policy
    from ..waiting import waiting

    with names_from(modules), input_errors():
        chosen = list(all_policies()) if everything else names or ["AdaptiveUCB"]
        for name in chosen:
            find_policy(name)
        with waiting("Compiling", len(chosen)) as bar:
            for name in chosen:
                for step in compile_ahead(name):
                    bar.say(f"Compiling {name}: {step}")
                bar.step()
    print(f"compiled {', '.join(chosen)} into {folder()}")
