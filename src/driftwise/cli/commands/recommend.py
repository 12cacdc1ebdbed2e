"""`driftwise recommend`: a policy for what is known, by the published scoreboard."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from ..app import app
from ..errors import InputError, input_errors
from ..options import AsJson, a_flag, a_number, an_integer

__all__ = ["recommend"]


@app.command()
def recommend(
    arms: Annotated[
        int | None, an_integer("K", "How many actions there are, if they never change.")
    ] = None,
    dimension: Annotated[
        int | None, an_integer("d", "The length of an action, instead, if actions change.")
    ] = None,
    rewards: Annotated[
        str, typer.Option(metavar="KIND", help="Clicks, which are 0 or 1, or amounts.")
    ] = "amounts",
    late: Annotated[bool, a_flag("--late", "Rewards come late, or some of them never.")] = False,
    guarantee: Annotated[
        bool, a_flag("--guarantee", "Its regret must have a proved bound under drift.")
    ] = False,
    horizon: Annotated[int | None, an_integer("T", "How many rounds there will be.")] = None,
    noise: Annotated[float | None, a_number("R", "Scale of the rewards' noise.")] = None,
    variation: Annotated[
        float | None, a_number("B", "How far the parameter moves in total.")
    ] = None,
    changes: Annotated[int | None, an_integer("N", "How often the parameter jumps.")] = None,
    parameter_norm: Annotated[
        float | None, a_number("S", "Bound on the length of the parameter.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Name a policy for what you know, and say why.

    By the numbers of the published scoreboard. Leave out what you do not know. For example:
    `driftwise recommend --arms 5 --rewards clicks --late`
    """
    from ...core.base.showing import settings_text
    from ...scores import recommend as recommend_policy
    from ..output import print_json
    from ..views.advice import print_advice

    if (arms is None) == (dimension is None):
        raise InputError("--arms must be given, or --dimension if actions change, and not both")
    with input_errors():
        found = recommend_policy(
            n_arms=arms,
            dimension=dimension,
            rewards=cast(Any, rewards),  # checked there
            is_late=late,
            needs_guarantee=guarantee,
            horizon=horizon,
            noise=noise,
            variation=variation,
            n_changes=changes,
            parameter_norm=parameter_norm,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        print_advice(found.as_dict() | {"policy": settings_text(found.policy)})
