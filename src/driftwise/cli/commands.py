"""The commands and their options; each says in one sentence what it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .complaints import Commands, complaints
from .values import collect, number, whole

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,  # plain help: frames waste a third of a narrow window
    context_settings={"help_option_names": ["-h", "--help"]},
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Seed = Annotated[int, typer.Option(metavar="N", parser=whole, help="Where all randomness begins.")]


@app.callback(invoke_without_command=True)
def driftwise(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Make decisions that keep up with a changing world: linear bandits under drift."""
    if version:
        from .. import __version__

        typer.echo(f"driftwise {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def reproduce(
    replications: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole,
            help="How often to play each horizon; 100 if left out, or a few with --quick.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole,
            help="How many runs to play at a time, which changes no result; "
            "as many as there are processors if left out.",
        ),
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder for the report, the figures and the numbers."),
    ] = Path("results"),
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Play fewer horizons, a few times each: under a minute."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress on standard error.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the paper's two experiments and judge its claims.

    Writes a report, figures and numbers. Ctrl-C stops early: what is finished is still written and
    judged, and the exit code is 130.
    """
    from .output import paragraph, print_json, show
    from .reproduction import run_paper

    outcome = run_paper(
        replications=replications, jobs=jobs, seed=seed, out=out, quick=quick, quiet=quiet
    )
    if as_json:
        print_json(outcome.as_dict())
    else:
        show(paragraph(outcome.as_text()))
    if outcome.is_interrupted:
        raise typer.Exit(130)


@app.command()
def simulate(
    policy: Annotated[
        str, typer.Argument(metavar="POLICY", help="A name from `driftwise policies`.")
    ] = "SlidingWindowUCB",
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="A name from `driftwise worlds`.")
    ] = "Sinusoid",
    horizon: Annotated[
        int | None,
        typer.Option(metavar="T", parser=whole, help="How many rounds to play; 30000 if left out."),
    ] = None,
    variation: Annotated[
        float | None,
        typer.Option(
            metavar="B",
            parser=number,
            help="How far the world's parameter may move in all; the world's own if left out.",
        ),
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(
            metavar="R",
            parser=number,
            help="Standard deviation of the rewards' noise; the world's own if left out.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting of the policy or the world, as in window=500, "
            "policy.noise=0.2 or world.rewards=bernoulli; may be repeated.",
        ),
    ] = None,
    unknown_variation: Annotated[
        bool,
        typer.Option(
            "--unknown-variation", help="Tune the policy without telling it the variation."
        ),
    ] = False,
    replications: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="How often to play.")
    ] = 20,
    checkpoints: Annotated[
        int, typer.Option(metavar="N", parser=whole, help="At how many rounds to report.")
    ] = 10,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=whole,
            help="Seed of the first replication; the next ones have the next seeds.",
        ),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Play a policy in a world and show how its regret grows.

    Settings that are not given are tuned with what the world tells. For example: driftwise
    simulate BanditOverBandit --variation 3 --set rewards=bernoulli
    """
    from ..experiments.pairing import pair
    from .output import print_json
    from .simulation import play, print_simulation

    options = {"horizon": horizon, "variation": variation, "noise": noise}
    with complaints():
        chosen = pair(
            policy,
            world,
            collect(options, settings or []),
            is_variation_known=not unknown_variation,
            seed=seed,
        )
        document = play(chosen, replications=replications, checkpoints=checkpoints, seed=seed)
    if as_json:
        print_json(document)
    else:
        print_simulation(document)


@app.command()
def windows(
    horizon: Annotated[
        int, typer.Option(metavar="T", parser=whole, help="How many rounds there will be.")
    ] = 30_000,
    dimension: Annotated[
        int, typer.Option(metavar="d", parser=whole, help="The length of an action.")
    ] = 2,
    variation: Annotated[
        float | None,
        typer.Option(
            metavar="B",
            parser=number,
            help="How far the parameter moves in all; unknown if left out.",
        ),
    ] = None,
    noise: Annotated[
        float,
        typer.Option(metavar="R", parser=number, help="Scale of the rewards' noise."),
    ] = 0.1,
    arms: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            parser=whole,
            help="How many arms EXP3 and EXP3.S have; as many as dimensions if left out.",
        ),
    ] = None,
    action_norm: Annotated[
        float,
        typer.Option(metavar="L", parser=number, help="Bound on the length of an action."),
    ] = 1.0,
    parameter_norm: Annotated[
        float,
        typer.Option(metavar="S", parser=number, help="Bound on the length of the parameter."),
    ] = 1.0,
    ridge: Annotated[
        float, typer.Option(metavar="LAMBDA", parser=number, help="Weight of the regularisation.")
    ] = 1.0,
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            parser=number,
            help="Probability with which a confidence bound may fail; 1/T if left out.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what theory recommends for T, d and B.

    Windows, confidence radii, block lengths, exploration, bounds and rates.
    """
    from .output import print_json
    from .recommendation import Problem, print_recommendation, recommend

    with complaints():
        document = recommend(
            Problem(
                horizon=horizon,
                dimension=dimension,
                variation=variation,
                noise=noise,
                n_arms=dimension if arms is None else arms,
                action_norm=action_norm,
                parameter_norm=parameter_norm,
                ridge=ridge,
                confidence=confidence,
            )
        )
    if as_json:
        print_json(document)
    else:
        print_recommendation(document)


@app.command()
def policies(as_json: AsJson = False) -> None:
    """List the policies: what each must know, costs and guarantees."""
    from ..registry import all_policies
    from .catalogue import describe_all, print_policies
    from .output import print_json

    rows = describe_all(all_policies().values())
    if as_json:
        print_json({"policies": rows})
    else:
        print_policies(rows)


@app.command()
def worlds(as_json: AsJson = False) -> None:
    """List the worlds: how each drifts, what it is made of."""
    from ..registry import all_worlds
    from .catalogue import describe_all, print_worlds
    from .output import print_json

    rows = describe_all(all_worlds().values())
    if as_json:
        print_json({"worlds": rows})
    else:
        print_worlds(rows)
