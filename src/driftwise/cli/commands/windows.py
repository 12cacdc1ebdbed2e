"""`driftwise windows`: what theory recommends."""

from __future__ import annotations

from typing import Annotated

from ..app import app
from ..errors import input_errors
from ..options import AsJson, a_number, an_integer

__all__ = ["windows"]


@app.command()
def windows(
    horizon: Annotated[int, an_integer("T", "How many rounds there will be.")] = 30_000,
    dimension: Annotated[int, an_integer("d", "The length of an action.")] = 2,
    variation: Annotated[
        float | None, a_number("B", "How far the parameter moves in total; unknown by default.")
    ] = None,
    noise: Annotated[float, a_number("R", "Scale of the rewards' noise.")] = 0.1,
    arms: Annotated[
        int | None,
        an_integer("K", "How many arms EXP3 and EXP3.S have; as many as dimensions by default."),
    ] = None,
    action_norm: Annotated[float, a_number("L", "Bound on the length of an action.")] = 1.0,
    parameter_norm: Annotated[float, a_number("S", "Bound on the length of the parameter.")] = 1.0,
    ridge: Annotated[float, a_number("LAMBDA", "Weight of the regularisation.")] = 1.0,
    confidence: Annotated[
        float | None,
        a_number("DELTA", "Probability with which a confidence bound may fail; 1/T by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what theory recommends for T, d and B.

    Windows, confidence radii, block lengths, exploration, bounds and rates.
    """
    from ...theory import Problem, recommend
    from ..output import print_json
    from ..views import recommendation

    with input_errors():
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
        recommendation.print_recommendation(document)
