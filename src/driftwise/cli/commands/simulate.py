"""`driftwise simulate`: one policy in one world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import app
from ..completion import policy_names, world_names
from ..errors import input_errors
from ..options import (
    AsJson,
    DataFile,
    Delay,
    Modules,
    Noise,
    Settings,
    Variation,
    a_flag,
    a_name,
    an_integer,
)
from ..outside import names_from
from ..values import collect

if TYPE_CHECKING:
    from ...experiments.setup.pairing import Pair

__all__ = ["simulate"]


@app.command()
def simulate(
    policy: Annotated[
        str,
        a_name(
            "POLICY",
            "A name from `driftwise policies`; AdaptiveUCB, which need not be told about the "
            "drift, by default.",
            policy_names,
        ),
    ] = "AdaptiveUCB",
    world: Annotated[
        str | None,
        a_name("WORLD", "A name from `driftwise worlds`; Sinusoid by default.", world_names),
    ] = None,
    horizon: Annotated[
        int | None, an_integer("T", "How many rounds to play; 30000 by default.")
    ] = None,
    variation: Variation = None,
    noise: Noise = None,
    settings: Settings = None,
    data: DataFile = None,
    delay: Delay = None,
    modules: Modules = None,
    unknown_variation: Annotated[
        bool, a_flag("--unknown-variation", "Tune the policy without telling it the variation.")
    ] = False,
    replications: Annotated[int, an_integer("N", "How often to play.")] = 20,
    checkpoints: Annotated[int, an_integer("N", "At how many rounds to report.")] = 10,
    seed: Annotated[
        int,
        an_integer("N", "Seed of the first replication; the next ones have the next seeds."),
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
    choices with guarantees. Settings that are not given are tuned to the facts of the world. For
    example: `driftwise simulate BanditOverBandit --variation 3 --set rewards=bernoulli`
    """
    from ...experiments.analysis import replications as playing
    from ...experiments.setup.pairing import pair
    from ..output import print_json
    from ..targets import require_picture
    from ..views.simulation import print_simulation
    from ..waiting import waiting

    options = {"horizon": horizon, "variation": variation, "noise": noise}
    often = {"replications": replications, "checkpoints": checkpoints, "seed": seed}
    with names_from(modules):
        with input_errors():
            if explain is not None:
                from ...experiments.analysis.account import require_explainable

                target = require_picture("explain", explain)
                require_explainable(policy)
            chosen = pair(
                policy,
                world or ("Sinusoid" if data is None else "Recorded"),
                collect(options, settings or []),
                data=data,
                delay=delay,
                is_variation_known=not unknown_variation,
                seed=seed,
            )
            playing.require_playable(chosen, **often)
        with waiting("Playing", replications) as bar:
            document = playing.replicate(chosen, **often, watch=bar.step)
        if explain is not None:
            document["picture"] = _draw_beliefs(chosen, target, seed)
    if as_json:
        print_json(document)
    else:
        print_simulation(document)


def _draw_beliefs(pair: Pair, target: Path, seed: int) -> str:
    """Play the replication of ``seed`` once more, ask the policy as it goes, draw its answers."""
    # Bring matplotlib, which a simulation alone does without.
    from ...core.base.files import write
    from ...experiments.analysis.account import follow
    from ...experiments.figures.explanation_figure import draw_explanation
    from ..waiting import waiting

    with waiting("Asking", pair.world.horizon) as bar:
        account = follow(pair.policy, pair.world, seed=seed, watch=bar.step)
        bar.say("Drawing")
        drawing = draw_explanation(account)
    with input_errors():  # the disk may be full by now
        write(target, drawing.svg if target.suffix.lower() == ".svg" else drawing.png)
    return str(target)
