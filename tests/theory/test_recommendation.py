"""What theory recommends for a problem."""

from __future__ import annotations

import json

import pytest

from driftwise import theory


def test_an_unknown_variation_has_one_row_per_geometry() -> None:
    known = theory.recommend(theory.Problem(horizon=1000, dimension=3, variation=2.0))
    unknown = theory.recommend(theory.Problem(horizon=1000, dimension=3))
    assert [row["variation"] for row in known["sliding_window"]] == [2.0, None] * 2
    assert [row["variation"] for row in unknown["sliding_window"]] == [None] * 2
    assert known["problem"]["confidence"] == 1.0 / 1000
    json.dumps(known, allow_nan=False)  # fit for a program


def test_the_lower_bound_is_named_where_it_holds() -> None:
    def rates(variation: float) -> list[str]:
        problem = theory.Problem(horizon=10_000, dimension=2, variation=variation)
        return [rate["name"] for rate in theory.recommend(problem)["rates"]]

    assert "lower-bound" in rates(1.0)
    assert "lower-bound" not in rates(0.01), "so little drift that it says nothing"


def test_a_horizon_is_asked_for_first() -> None:
    with pytest.raises(ValueError, match="horizon must be at least 1 round, got 0"):
        theory.recommend(theory.Problem(horizon=0, dimension=2))
