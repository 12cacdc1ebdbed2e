"""The picture of what a policy says of itself."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import driftwise as dw
from driftwise.experiments import draw_explanation, follow
from driftwise.experiments.figures import explanation_figure
from driftwise.experiments.figures.drawing import Drawing, render
from driftwise.pages.palette import ARM_COLOURS

WORLD = dw.worlds.Switching(
    horizon=600, n_changes=1, parameters=[[0.8, 0.2], [0.1, 0.7]], noise=0.1
)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Give a list that every figure comes into that is drawn."""
    drawn: list[Figure] = []

    def keep(figure: Figure, words: str) -> Drawing:
        drawn.append(figure)
        return render(figure, words)

    monkeypatch.setattr(explanation_figure, "render", keep)
    return drawn


def texts_in(figure: Figure) -> list[str]:
    """Return all that is written in a figure, ticks and all."""
    return [text.get_text() for text in cast(list[Text], figure.findobj(Text))]


def test_it_is_the_run_that_simulate_plays() -> None:
    policy = dw.AdaptiveUCB()
    account = follow(policy, WORLD, seed=3, checkpoints=20)
    run = dw.simulate(policy, WORLD, seed=3, checkpoints=20)
    np.testing.assert_array_equal(account.rounds, run.rounds)
    np.testing.assert_array_equal(account.regret, run.regret)
    assert account.notices is not None
    assert len(account.notices) == 1
    assert 300 < account.notices[0] <= 310
    assert account.has_drift_in_errors
    assert account.changes == [301]
    assert account.track is not None
    assert account.track.kind == "arm"
    assert account.track.truth is not None
    np.testing.assert_array_equal(account.track.truth[[0, -1]], [[0.8, 0.2], [0.1, 0.7]])
    drawing = draw_explanation(account)
    assert b"<!-- line: a change showed -->" in drawing.svg
    assert b"<!-- arm 0 -->" in drawing.svg, "as `Agent.explain` counts them"
    assert b"<!-- arm 2 -->" not in drawing.svg
    assert all(colour.lower().encode() in drawing.svg for colour in ARM_COLOURS[:2])
    assert drawing.png.startswith(b"\x89PNG")
    assert "Changes noticed: 1." in drawing.words
    assert drawing == draw_explanation(account)


def test_a_policy_without_a_noise_and_a_world_of_changing_sets() -> None:
    world = dw.worlds.SmoothCircle(horizon=300, n_arms=5)
    account = follow(dw.SlidingWindowUCB(200, noise=1.0), world, checkpoints=10)
    assert account.noise is None
    assert account.notices is None, "it takes no note of changes"
    assert not account.has_drift_in_errors
    # Actions differ from round to round, so it is the parameter that is followed.
    assert account.track is not None
    assert account.track.kind == "coordinate"
    path = np.concatenate(list(world.path(0, 77)))
    assert account.track.truth is not None
    np.testing.assert_array_equal(account.track.truth, path[account.rounds - 1])
    assert account.changes == []
    np.testing.assert_array_equal(account.memory, np.minimum(account.rounds, 200))
    drawing = draw_explanation(account)
    assert "200 at the end" in drawing.words
    assert "noticed" not in drawing.words
    assert re.findall(rb"<!-- (coordinate \d) -->", drawing.svg) == [
        b"coordinate 0",
        b"coordinate 1",
    ]


def test_records_have_no_truth_to_draw() -> None:
    rewards = np.random.default_rng(0).uniform(size=(40, 2))
    world = dw.worlds.Recorded(decision_sets=np.eye(2), rewards=rewards)
    watched: list[int] = []
    policy = dw.SlidingWindowUCB(20, noise=1.0)
    account = follow(policy, world, checkpoints=8, watch=watched.append)
    assert watched == [5] * 8
    assert account.track is not None
    assert account.track.truth is None
    assert account.changes == []
    assert "in Recorded over 40 rounds" in draw_explanation(account).words


@pytest.mark.parametrize("n_arms", [2, 6])
def test_arms_have_no_parameter_to_follow(n_arms: int) -> None:
    world = dw.worlds.Switching(horizon=60, dimension=n_arms, n_changes=1)
    account = follow(dw.EpsilonGreedy(0.1), world, checkpoints=60)
    assert (account.track is None) == (n_arms > 4)
    if account.track is not None:
        assert np.isnan(account.track.values[0]).sum() == 1, "one of two was played"
        assert np.isnan(account.track.errors).all()
    assert "EpsilonGreedy says of itself" in draw_explanation(account).words


def test_a_policy_without_an_estimate_has_nothing_to_say() -> None:
    with pytest.raises(AttributeError, match="Exp3 keeps no estimate"):
        follow(dw.Exp3(0.1), WORLD)


def test_whoever_notices_changes_says_how_many_even_without_a_noise() -> None:
    account = follow(dw.AdaptiveUCB(), WORLD, checkpoints=5)._replace(noise=None, notices=[])
    assert "Changes noticed: 0." in draw_explanation(account).words


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_few_points_are_drawn_as_points(horizon: int, figures: list[Figure]) -> None:
    world = dw.worlds.Sinusoid(horizon=horizon)
    words = draw_explanation(follow(dw.AdaptiveUCB(), world)).words
    plural = "s" if horizon > 1 else ""
    assert f" over {horizon} round{plural}." in words
    (figure,) = figures
    texts = texts_in(figure)
    assert any(f"one run of {horizon} round{plural}, " in text for text in texts)
    assert not any("e-" in text or "e\N{MINUS SIGN}" in text for text in texts), "no powers of ten"
    for axes in figure.axes:
        assert axes.yaxis.get_offset_text().get_text() == ""
        shown = [tick for tick in axes.get_xticks() if 0 <= tick <= horizon]
        assert shown == list(range(horizon + 1)), "integers, each once"
        low, high = axes.get_ylim()
        # A line across the panel, which is no line of points, goes by shares of it: from 0 to 1.
        lines = [line for line in axes.lines if line.get_transform() == axes.transData]
        assert lines
        for line in lines:
            points = np.asarray(line.get_xydata())
            assert (line.get_marker() == "o") == (horizon < 3)
            assert points[-1, 0] == horizon
            heights = points[~np.isnan(points[:, 1]), 1]  # of an arm never seen there is none
            assert ((low <= heights) & (heights <= high)).all()


def test_the_noise_is_shown_after_a_twentieth_of_the_run(figures: list[Figure]) -> None:
    world = dw.worlds.Stationary(horizon=1500, parameter=[0.2, 0.8], noise=0.0)
    account = follow(dw.AdaptiveUCB(), world, checkpoints=100)
    draw_explanation(account)
    (panel,) = [axes for axes in figures[0].axes if "noise" in axes.get_title(loc="left")]
    assert account.noise is not None
    assert panel.get_ylim()[1] > account.noise[5:].max()
    assert panel.get_ylim()[1] < account.noise[0], "or the first guess would flatten the rest"


def test_an_estimate_without_an_account_cannot_be_followed() -> None:
    class Quiet:
        def estimate_in(self, memory: Any) -> Any:
            return memory

    with pytest.raises(AttributeError, match="Quiet gives no account of its estimate"):
        follow(Quiet(), WORLD)  # type: ignore[arg-type]  # it is no policy


@pytest.mark.parametrize("delay", [dw.delays.Constant(50), dw.delays.Missing(0.5)])
def test_an_account_knows_of_late_rewards(delay: dw.delays.Delay) -> None:
    policy, world = dw.SlidingWindowUCB(200, noise=0.1), WORLD.with_delay(delay)
    account = follow(policy, world, seed=3, checkpoints=20)
    run = dw.simulate(policy, world, seed=3, checkpoints=20)
    np.testing.assert_array_equal(account.regret, run.regret)
    assert account.memory[0] < follow(policy, WORLD, seed=3, checkpoints=20).memory[0]
