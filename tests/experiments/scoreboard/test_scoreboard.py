from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from driftwise.cli.views.standing import print_outcome
from driftwise.experiments import Outcome, find_experiment, parse_experiment, run
from driftwise.experiments.figures.scoreboard_picture import draw_scoreboard
from driftwise.experiments.scoreboard import __main__ as writing
from driftwise.experiments.scoreboard.fuzz import FAMILIES, draw_scenarios, fuzz_experiment
from driftwise.experiments.scoreboard.parts import PRACTICAL, plain_name
from driftwise.experiments.scoreboard.publishing import BEGIN, END, RECORD, publish
from driftwise.experiments.scoreboard.recording import board_record
from driftwise.experiments.setup.building import Builder
from driftwise.policies import AdaptiveUCB, SlidingWindowArmsUCB, SlidingWindowUCB
from driftwise.scores.board import Kind, scoreboard_of
from driftwise.scores.record import Record, from_text

FUZZ = "scoreboard-fuzz-"
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
    board = findings.scoreboard
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


def test_a_yardstick_without_regret_leaves_everyone_without_a_score() -> None:
    """Then all play everywhere all the same, and there is a figure."""
    ratios = {
        "A": {"one": {"x": 0.5, "y": 2.0}, "two": {"x": 0.5}},
        "B": {"one": {"x": 0.0, "y": 3.0}, "two": {"x": 1.0}},
        "C": {"one": {"x": 1.0}, "two": {"x": 1.0}},
    }
    families, told = {"x": "calm", "y": "wild"}, dict.fromkeys("ABC", "nothing")
    kinds = dict.fromkeys(families, Kind("arms", "amounts", False))
    board = scoreboard_of(families, ("one", "two"), ratios, told, None, kinds)
    assert [board.plays_everywhere(policy) for policy in "ABC"] == [True, True, False]
    assert board.scores["A"]["one"].geometric_mean == pytest.approx(1.0)
    assert board.scores["B"]["one"].geometric_mean == 0.0
    assert board.ranked("one") == ["B", "A", "C"]
    assert b"<svg" in draw_scoreboard(board, is_short=True).svg


def test_the_report_has_one_figure_and_all_tables(outcome: Outcome) -> None:
    figures = {Path(name).stem for name in outcome.files if name.endswith(".svg")}
    assert figures == {"scoreboard"}
    page = outcome.files["report.html"].read_text("utf-8")
    assert "Against the best window" in page
    for text in ("SlidingWindowUCB", "UCB1", "Uniform", "waves", "linear", "must be told"):
        assert text in page


def test_a_terminal_gets_one_line_per_policy(
    outcome: Outcome, capsys: pytest.CaptureFixture[str]
) -> None:
    print_outcome(outcome)
    printed = capsys.readouterr().out
    assert "A small scoreboard. 3 fixed scenarios, 2 replications each" in printed
    own = outcome.findings[0].scoreboard.scores["UCB1"]["best window"]
    assert f"{own.geometric_mean:.2f}" in next(
        line for line in printed.splitlines() if line.strip().startswith("UCB1")
    )
    assert "mean rank" not in printed, "no table per scenario"
    drawn = outcome.findings[0].scoreboard._replace(fuzz=7)
    assert drawn.origin == "3 scenarios drawn by seed 7"


def test_a_run_is_published(outcome: Outcome, tmp_path: Path) -> None:
    (findings,) = outcome.findings
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/scoreboard.md"):
        (tmp_path / name).write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    written = publish(Record("2020-02-20", "Made.", (board_record(findings),)), tmp_path)
    assert {path.name for path in written} == {
        "README.md", "scoreboard.md", "scoreboard.json", "board-laboratory.svg",
        "board-laboratory-dark.svg",
    }  # fmt: skip
    (again,) = from_text((tmp_path / RECORD).read_text()).boards
    own = findings.scoreboard.scores["SlidingWindowUCB"]["best window"]
    kept = again.board.scores["SlidingWindowUCB"]["best window"]
    assert kept.worst_scenario == own.worst_scenario
    assert kept.geometric_mean == pytest.approx(own.geometric_mean, rel=1e-3)
    page = (tmp_path / "docs/scoreboard.md").read_text()
    assert page.startswith(f"above\n{BEGIN}\n")
    assert page.endswith(f"\n{END}\nbelow\n")
    assert (
        f"| `SlidingWindowUCB` | {again.board.told['SlidingWindowUCB']} | {own.geometric_mean:.2f}"
        in page
    )
    assert "driftwise run scoreboard --replications 2 --seed 0" in page


def test_the_whole_way_from_playing_to_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/scoreboard.md"):
        (tmp_path / name).write_text(f"{BEGIN}\n{END}\n")
    small = BOARD.replace("horizons = [400]", "horizons = [60]").replace("[20, 200]", "[20]")
    monkeypatch.setattr(
        writing, "find_experiment", lambda name, quick: parse_experiment(small, name)
    )
    monkeypatch.setattr(
        writing,
        "fuzz_experiment",
        lambda seed, quick: parse_experiment(f"scenario_seed = {seed}\n{small}", f"{FUZZ}{seed}"),
    )
    words = ["--root", str(tmp_path), "--replications", "1", "--jobs", "1", "--quiet"]
    assert writing.main([*words, "--no-fuzz"]) == 0
    assert "## Laboratory: 3 fixed scenarios" in (tmp_path / "docs/scoreboard.md").read_text()
    assert writing.main([*words, "--fuzz", "7"]) == 0
    page = (tmp_path / "docs/scoreboard.md").read_text()
    assert "fixed scenarios" not in page
    assert "## Laboratory: 3 scenarios drawn by seed 7" in page
    assert 'src="scoreboard-fuzz-7-laboratory.svg"' in page
    readme = (tmp_path / "README.md").read_text()
    assert readme.count("\n| `SlidingWindowUCB` | ") == 1
    (tmp_path / "README.md").write_text(f"{BEGIN}\nby hand\n{END}\n")
    assert writing.main([*words, "--again"]) == 0
    assert (tmp_path / "README.md").read_text() == readme
    with pytest.raises(SystemExit):
        writing.main([*words[:2], "--replications", "0"])
    assert "replications must be at least 1, got 0" in capsys.readouterr().err


def test_the_scoreboard_has_forty_scenarios_and_everyone() -> None:
    experiment = find_experiment("scoreboard")
    assert len(experiment.worlds) >= 40
    assert all(world.family for world in experiment.worlds)
    labels = set(experiment.contestants)
    assert {"SlidingWindowUCB", "BanditOverBandit", "Uniform", "Corral"} <= labels
    assert list(experiment.comparators) == ["best window", "best of all settings"]
    assert len(experiment.comparators["best of all settings"]) == 12 + 4 * (8 + 6)
    assert experiment.held_out == {"best of all settings"}
    twins = [label for label in labels if label.endswith(PRACTICAL)]
    assert len(twins) == 15
    assert {plain_name(label) for label in twins} < labels


def test_policies_are_told_what_the_path_does() -> None:
    experiment = find_experiment("scoreboard")
    builder = Builder(experiment)
    for label, horizon in experiment.settings:
        world, facts = builder.world(label, horizon), builder.facts(label, horizon)
        moved, n_changes = world.realised_variation(0), world.number_of_changes(0)
        assert (facts["variation"], facts.get("variation of arms")) == moved
        is_jumping = 10 * n_changes <= horizon
        assert facts.get("n_changes") == (n_changes if is_jumping else None), label
    window = builder.policy("SlidingWindowArmsUCB", "switching K=2 changes=4", 8000).window
    told: dict[str, Any] = {"n_changes": 4, "reward_range": 2 * 0.1}
    assert window == SlidingWindowArmsUCB.tuned(horizon=8000, n_arms=2, **told).window
    window = builder.policy("SlidingWindowUCB", "sinusoid B=1 noise=0.1", 8000).window
    facts = {"horizon": 8000, "dimension": 2, "noise": 0.1}
    assert window == SlidingWindowUCB.tuned(**facts, variation=3 * 2**0.5).window
    assert window < SlidingWindowUCB.tuned(**facts, variation=1.0).window


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_draws_sound_scenarios_of_every_family(seed: int) -> None:
    experiment = fuzz_experiment(seed)
    assert len(experiment.worlds) == 3 * len(FAMILIES)
    # Whatever is reported says which seed it was, under any name.
    assert parse_experiment(experiment.text, "renamed").scenario_seed == seed
    assert f"seed {seed}" in experiment.title
    assert any(f"Seed {seed} of the second generator" in note.text for note in experiment.notes)
    assert {world.family for world in experiment.worlds} == set(FAMILIES)
    builder = Builder(experiment)
    for world, horizon in experiment.settings:
        for policy in ("AdaptiveUCB", "SlidingWindowUCB", f"LinTS{PRACTICAL}"):
            assert builder.refusal(policy, world, horizon) is None
        assert builder.policy("AdaptiveUCB", world, horizon) == AdaptiveUCB()
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
