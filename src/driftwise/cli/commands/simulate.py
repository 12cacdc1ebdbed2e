"""`driftwise simulate`: one policy in one world."""

from __future__ import annotations

from typing import Annotated

import typer

from ..app import app
from ..complaints import complaints
from ..options import (
    AsJson,
    DataFile,
    Modules,
    Noise,
    Settings,
    Variation,
    a_flag,
    a_name,
    a_whole_number,
)
from ..outside import names_from
from ..values import collect

__all__ = ["simulate"]


@app.command()
def simulate(
    policy: Annotated[
        str,
        a_name(
            "POLICY",
            "A name from `driftwise policies`; AdaptiveUCB, which need not be told about the "
            "drift, if left out.",
        ),
    ] = "AdaptiveUCB",
    world: Annotated[
        str | None,
        a_name("WORLD", "A name from `driftwise worlds`; Sinusoid if left out."),
    ] = None,
    horizon: Annotated[
        int | None, a_whole_number("T", "How many rounds to play; 30000 if left out.")
    ] = None,
    variation: Variation = None,
    noise: Noise = None,
    settings: Settings = None,
    data: DataFile = None,
    modules: Modules = None,
    unknown_variation: Annotated[
        bool, a_flag("--unknown-variation", "Tune the policy without telling it the variation.")
    ] = False,
    replications: Annotated[int, a_whole_number("N", "How often to play.")] = 20,
    checkpoints: Annotated[int, a_whole_number("N", "At how many rounds to report.")] = 10,
    seed: Annotated[
        int,
        a_whole_number("N", "Seed of the first replication; the next ones have the next seeds."),
    ] = 0,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw what the policy believes over the first replication, PNG or SVG.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a policy in a world and show how its regret grows.

    AdaptiveUCB has no proof, only measurements; SlidingWindowUCB and BanditOverBandit are the
    choices with guarantees. Settings that are not given are tuned with what the world tells. For
    example: driftwise simulate BanditOverBandit --variation 3 --set rewards=bernoulli
    """
    from ...experiments.setup.pairing import pair
    from ..output import print_json
    from ..simulation import play, print_simulation, require_playable

    options = {"horizon": horizon, "variation": variation, "noise": noise}
    often = {"replications": replications, "checkpoints": checkpoints, "seed": seed}
    with names_from(modules):
        with complaints():
            if explain is not None:
                from ..explanation import require_explainable, write_explanation

                target = require_explainable(policy, explain)
            chosen = pair(
                policy,
                world or ("Sinusoid" if data is None else "Recorded"),
                collect(options, settings or []),
                data=data,
                is_variation_known=not unknown_variation,
                seed=seed,
            )
            require_playable(chosen, **often)
        document = play(chosen, **often)
        if explain is not None:
            document["picture"] = write_explanation(chosen, target, seed=seed)
    if as_json:
        print_json(document)
    else:
        print_simulation(document)
