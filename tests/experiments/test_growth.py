from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from driftwise.experiments.growth import draw_growth, spread
from driftwise.experiments.outcome import Outcome

HEIGHTS = st.lists(st.floats(0.0, 1.0, width=32), min_size=1, max_size=6).map(sorted)


@given(HEIGHTS)
def test_labels_stand_apart_and_near(heights: list[float]) -> None:
    placed = spread(heights, 0.1)
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(placed))
    assert all(abs(a - b) <= 0.1 * len(heights) for a, b in zip(placed, heights, strict=True))
    assert abs(sum(placed) - sum(heights)) < 1e-9  # none is moved further than its neighbours


@given(HEIGHTS)
def test_labels_with_room_stay(heights: list[float]) -> None:
    apart = [height + i for i, height in enumerate(heights)]
    assert spread(apart, 0.0) == [round(height, 12) for height in apart]


def test_drawings_are_the_same_bytes_every_time(outcome: Outcome) -> None:
    experiment = outcome.findings.paper.experiments[0]
    analysis = outcome.findings.analyses[experiment.name]
    first, again = (draw_growth(experiment, analysis) for _ in range(2))
    assert first == again
    assert first.png.startswith(b"\x89PNG")
    assert b"<svg" in first.svg
    assert "SW-UCB: slope" in first.words


def test_one_replication_or_one_horizon_can_be_drawn(outcome: Outcome) -> None:
    experiment = outcome.findings.paper.experiments[0]
    analysis = outcome.findings.analyses[experiment.name]
    lone = analysis._replace(
        horizons=analysis.horizons[:1],
        replications=(1,),
        means={
            policy: (means[0]._replace(low=None, high=None),)
            for policy, means in analysis.means.items()
        },
        slopes=dict.fromkeys(analysis.policies),
    )
    assert draw_growth(experiment, lone).png.startswith(b"\x89PNG")
