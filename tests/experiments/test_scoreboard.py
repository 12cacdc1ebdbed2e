from __future__ import annotations

import math
from pathlib import Path

import pytest

from driftwise.experiments import Outcome, find_experiment, parse_experiment, run
from driftwise.experiments.description.building import Builder
from driftwise.experiments.scoreboard.fuzz import FAMILIES, draw_scenarios, fuzz_text
from driftwise.experiments.scoreboard.scoring import score

BOARD = """
title = "A small scoreboard"
horizons = [400]
replications = 2
checkpoints = 2
skip_refused = true

[[policies]]
name = "SlidingWindowUCB"

[[policies]]
name = "UCB1"

[[policies]]
name = "Uniform"
families = ["calm", "stationary"]

[[comparators]]
name = "SlidingWindowUCB"
label = "best window"
grid = { window = [20, 200] }

[[worlds]]
name = "Sinusoid"
label = "sine"
family = "waves"

[[worlds]]
name = "FreshSets"
label = "fresh"
family = "linear"
horizons = [200]

[[worlds]]
name = "Stationary"
label = "still"
family = "stationary"
parameter = [0.1, 0.9]
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    experiment = parse_experiment(BOARD, "board")
    return run(experiment, out=tmp_path_factory.mktemp("board"), quiet=True)


def test_everyone_plays_where_they_can() -> None:
    builder = Builder(parse_experiment(BOARD, "board"))
    assert builder.experiment.settings == [("sine", 400), ("fresh", 200), ("still", 400)]
    windows = ["best window window=20", "best window window=200"]
    assert builder.players("sine", 400) == ["SlidingWindowUCB", "UCB1", *windows]
    assert builder.players("fresh", 200) == ["SlidingWindowUCB", *windows]
    assert "Uniform" in builder.players("still", 400)
    assert "plays arms" in str(builder.refusal("UCB1", "fresh", 200))
    assert builder.refusal("Uniform", "sine", 400) == (
        "Uniform is asked to play in calm and stationary only"
    )


def test_without_leave_a_policy_that_cannot_play_is_an_error() -> None:
    strict = parse_experiment(BOARD.replace("skip_refused = true", ""), "board")
    assert Builder(strict).refusal("UCB1", "fresh", 200) is None


def test_scores_are_geometric_means_of_ratios(outcome: Outcome) -> None:
    (findings,) = outcome.findings
    board = score(findings)
    assert board.families == ("waves", "linear", "stationary")
    assert board.comparators == ("best window",)
    ratios = {each.world: each.of("SlidingWindowUCB").ratios for each in findings.standings}
    values = [ratios[world]["best window"].value for world in ("sine", "fresh", "still")]
    own = board.scores["SlidingWindowUCB"]["best window"]
    assert own.geometric_mean == pytest.approx(math.prod(values) ** (1 / 3))
    assert own.drifting == pytest.approx(math.sqrt(values[0] * values[1]))
    assert own.worst == max(values)
    assert own.families["linear"] == pytest.approx(values[1])
    assert len(board.scores["UCB1"]["best window"].ratios) == 2
    # Whoever cannot play everywhere comes after those who do.
    assert board.ranked("best window")[0] == "SlidingWindowUCB"
    assert "noise" in board.told["SlidingWindowUCB"]


def test_the_report_has_one_figure_and_all_tables(outcome: Outcome) -> None:
    figures = {Path(name).stem for name in outcome.files if name.endswith(".svg")}
    assert figures == {"scoreboard"}
    page = outcome.files["report.html"].read_text("utf-8")
    assert "Against the best window" in page
    for text in ("SlidingWindowUCB", "UCB1", "Uniform", "waves", "linear", "must be told"):
        assert text in page


def test_the_scoreboard_has_forty_scenarios_and_everyone() -> None:
    experiment = find_experiment("scoreboard")
    assert len(experiment.worlds) >= 40
    assert all(world.family for world in experiment.worlds)
    labels = set(experiment.contestants)
    assert {"SlidingWindowUCB", "BanditOverBandit", "Uniform", "Corral"} <= labels
    assert list(experiment.comparators) == ["best window", "best window and radius"]
    assert len(experiment.comparators["best window and radius"]) == 4 * 12


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_draws_sound_scenarios_of_every_family(seed: int) -> None:
    experiment = parse_experiment(fuzz_text(seed), "fuzz")
    assert len(experiment.worlds) == 60
    assert {world.family for world in experiment.worlds} == set(FAMILIES)
    builder = Builder(experiment)
    for world, horizon in experiment.settings:
        builder.policy("SlidingWindowUCB", world, horizon)
    assert draw_scenarios(seed) == draw_scenarios(seed)
    assert draw_scenarios(seed) != draw_scenarios(seed + 2)
    with pytest.raises(ValueError, match="fuzz must be at least 0"):
        draw_scenarios(-1)


def test_everyone_can_be_asked_for_but_some() -> None:
    text = BOARD.replace('name = "UCB1"', 'name = "*"\nexcept = ["SlidingWindowUCB", "Uniform"]')
    labels = parse_experiment(text, "board").contestants
    assert "Corral" in labels
    assert labels.count("Uniform") == 1
    with pytest.raises(ValueError, match="did you mean 'Uniform'"):
        parse_experiment(text.replace('"Uniform"]', '"Unifrm"]'), "board")
