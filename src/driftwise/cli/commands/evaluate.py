"""`driftwise evaluate`: what policies would have earned on a log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..app import app
from ..errors import input_errors
from ..options import AsJson, Jobs, Modules, Quiet, Seed, a_number, an_integer
from ..outside import names_from
from .log import Actions, Columns, Context, Form

__all__ = ["Encoding", "Page", "Wait", "evaluate"]

KINDS = ("advice", "share", "all-traffic", "replay")

Encoding = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="How context and actions become rows, as TOML; see `driftwise features suggest`.",
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write one HTML report, which opens offline."),
]
Wait = Annotated[
    float | None, a_number("TIME", "How long a reward is waited for, in units of the log's time.")
]


@app.command()
def evaluate(
    policies: Annotated[
        list[str],
        typer.Argument(
            metavar="POLICY",
            help="Names from `driftwise policies`, each with settings if need be, as in "
            "`SlidingWindowUCB:window=500,noise=0.2`; what is left out is tuned to the log.",
            show_default=False,
        ),
    ],
    log: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="A log: JSON Lines, dsjson, Parquet, or CSV with a mapping."
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Which value: advice, had it chosen in every event, having learnt from the log; share, having "
            "learnt from its own choices on a share of the events; all-traffic, on all of them, by a "
            "model that is checked; replay, which is plain replay, for comparison.",
        ),
    ] = "advice",
    draws: Annotated[int, an_integer("N", "How many worlds to draw, for all-traffic.")] = 20,
    encoder: Encoding = None,
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH",
            help="The least and the largest reward there can be, as declared: bands for many looks then need no approximation.",
        ),
    ] = None,
    window: Annotated[int, an_integer("N", "How many events a value over time averages.")] = 500,
    wait: Wait = None,
    late: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Decisions younger than --wait at the end: matured leaves them out, corrected lets "
            "those with a reward stand for the others.",
        ),
    ] = "matured",
    seed: Seed = 0,
    jobs: Jobs = None,
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="Where to play: threading, loky, dask or ray.")
    ] = "threading",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A cluster of Dask or Ray.")
    ] = None,
    form: Form = None,
    column: Columns = None,
    context: Context = None,
    actions: Actions = None,
    modules: Modules = None,
    out: Page = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say what policies would have earned on a log.

    Valid however the world drifted, with intervals, and compared with what was earned. For example:
    `driftwise evaluate AdaptiveUCB LinUCB --log log.jsonl --as advice --out report.html`
    """
    from ... import evaluation
    from ...core.base.files import write
    from ...core.base.validation import require_known
    from ...evaluation.facts import facts_of
    from ...evaluation.report import evaluation_page
    from ..evaluating import command_line, encoder_from, policies_from, require_page
    from ..logbook import read
    from ..output import answer

    with names_from(modules), input_errors():
        require_known("as", kind, KINDS)
        target = require_page(out)
        events = read(log, form, column, context, actions)
        encoding = encoder_from(encoder)
        chosen = policies_from(policies, facts_of(events, encoding))
        more: dict[str, Any] = {"draws": draws} if kind == "all-traffic" else {}
        found = getattr(evaluation, kind.replace("-", "_"))(
            events, chosen, encoder=encoding, bounds=bounds, window=window, wait=wait, late=late,
            seed=seed, jobs=jobs, backend=backend, scheduler=scheduler, quiet=quiet, **more,
        )  # fmt: skip
        if target is not None:
            sound = events.soundness(wait=wait)
            page = evaluation_page(found, sound, file=log.name, command=command_line())
            write(target, page.encode())
    answer(found, as_json)
