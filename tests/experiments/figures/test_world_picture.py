"""The picture of a world says what the world does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import driftwise as dw
from driftwise.experiments.analysis.world_path import follow
from driftwise.experiments.figures import world_picture
from driftwise.experiments.figures.drawing import Drawing, render
from driftwise.experiments.figures.world_picture import draw_world
from driftwise.experiments.gallery.line_up import default_world
from driftwise.registry import all_worlds

MADE = sorted(all_worlds().keys() - {"World", "Recorded"})


@pytest.mark.parametrize("name", MADE)
def test_every_world_has_a_picture(name: str) -> None:
    world = default_world(all_worlds()[name], 300, 300)
    drawing = draw_world(follow(world, seed=1), kind="svg")
    assert b"</svg>" in drawing.svg
    assert drawing.words.startswith(f"{name}: ")


def records(n_arms: int, has_means: bool, is_fixed: bool) -> Any:
    random = np.random.default_rng(0)
    rewards = random.random((40, n_arms))
    sets = random.random((n_arms, 3) if is_fixed else (40, n_arms, 3))
    means = rewards - 0.1 if has_means else None
    return dw.worlds.Recorded(decision_sets=sets, rewards=rewards, means=means)


@pytest.mark.parametrize("n_arms", [1, 2, 12])
@pytest.mark.parametrize("has_means", [True, False])
@pytest.mark.parametrize("is_fixed", [True, False])
def test_records_have_a_picture(n_arms: int, has_means: bool, is_fixed: bool) -> None:
    words = draw_world(follow(records(n_arms, has_means, is_fixed), seed=0), kind="svg").words
    assert ("no expected rewards are known" in words) == (not has_means)
    assert ("Recorded reward" in words) == (not has_means)


def test_few_rounds_are_numbered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[Figure]()

    def keep(figure: Figure, *others: Any) -> Drawing:
        drawn.append(figure)
        return render(figure, *others)

    monkeypatch.setattr(world_picture, "render", keep)
    draw_world(follow(dw.worlds.Stationary(horizon=3, parameter=[0.2, 0.8]), seed=0), kind="svg")
    shown = [label.get_text() for label in drawn[0].axes[-1].get_xticklabels()]
    assert len(shown) == len(set(shown)) > 1


def test_a_single_round() -> None:
    assert draw_world(
        follow(dw.worlds.Stationary(horizon=1, parameter=[0.2, 0.8]), seed=0)
    ).png.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("world", "part"),
    [
        (dw.worlds.Switching(horizon=300, times=[101]), "1 change (dotted)"),
        (dw.worlds.Switching(horizon=2000, n_changes=150), "150 changes, too many to mark"),
        (dw.worlds.Sinusoid(horizon=300), "drifts in every round"),
        (dw.worlds.Stationary(horizon=300, parameter=[0.5]), "never changes"),
        (dw.worlds.StoppingDrift(horizon=300), "drifts in 99 rounds (shaded)"),
    ],
)
def test_how_a_world_moves_in_words(world: Any, part: str) -> None:
    assert part in draw_world(follow(world, seed=0), kind="svg").words


def test_the_path_is_that_of_the_world() -> None:
    world = dw.worlds.Switching(horizon=1000, times=[501], parameters=[[0.1, 0.9], [0.7, 0.2]])
    path = follow(world, seed=0)
    assert path.arms is not None
    assert path.parameter is not None
    assert path.per_point == 2
    assert path.arms.middle[0].tolist() == [0.1, 0.9]
    assert path.arms.middle[-1].tolist() == [0.7, 0.2]
    assert path.offered.middle[0].tolist() == [0.9, 0.5], "the best and the average"
    assert path.best.middle[:, 0].tolist() == [1.0] * 250 + [0.0] * 250, "counted from 0"
    assert np.array_equal(path.parameter.middle, path.arms.middle), "actions are basis vectors"


def test_nothing_that_swings_fast_looks_calm() -> None:
    parameters = np.where(np.arange(6000) % 2, 0.9, 0.1)[:, None]
    path = follow(dw.worlds.World(parameters=parameters, decision_sets=[[1.0]]), seed=0)
    assert path.arms is not None
    assert np.allclose(path.arms.middle, 0.5)
    assert (path.arms.low == 0.1).all()
    assert (path.arms.high == 0.9).all()


def test_padding_is_no_action() -> None:
    sets = [[[-1.0]], [[-1.0], [-2.0]]] * 5
    path = follow(dw.worlds.World(parameters=np.ones((10, 1)), decision_sets=sets), seed=0)
    assert path.offered.middle[:, 0].tolist() == [-1.0] * 10
    assert path.offered.middle[:, 1].tolist() == [-1.0, -1.5] * 5
