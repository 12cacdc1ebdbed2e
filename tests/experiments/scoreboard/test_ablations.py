"""The table of ablations: what is changed, how seeds are pooled, and that nobody edits it."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwise import AdaptiveUCB
from driftwise.experiments import parse_experiment
from driftwise.experiments.scoreboard import __main__ as writing
from driftwise.experiments.scoreboard.ablation_page import (
    MARKERS,
    RECORD,
    ablation_part,
    published_ablations,
)
from driftwise.experiments.scoreboard.ablations import (
    SEEDS,
    UNCHANGED,
    VARIANTS,
    ablation_experiment,
    pooled,
)
from driftwise.experiments.scoreboard.fuzz import fuzz_experiment
from driftwise.experiments.scoreboard.pages import other_seeds
from driftwise.experiments.scoreboard.publishing import RECORD as PUBLISHED
from driftwise.experiments.setup.building import Builder
from driftwise.experiments.spec.expressions import evaluate
from driftwise.scores.board import Kind, scoreboard_of
from driftwise.scores.record import BoardRecord, Record, from_text

ROOT = Path(__file__).parents[3]
FAMILIES = {"calm": "stationary", "fast": "waves"}
KINDS = dict.fromkeys(FAMILIES, Kind("arms", "amounts", False))


def board_of(seed: int, unchanged: list[float], other: list[float]) -> BoardRecord:
    ratios = {
        label: {
            "window": dict(zip(FAMILIES, values, strict=True)),
            "both": dict(zip(FAMILIES, [3 * value for value in values], strict=True)),
        }
        for label, values in {UNCHANGED: unchanged, "other": other}.items()
    }
    told = dict.fromkeys(ratios, "parameter_norm")
    board = scoreboard_of(FAMILIES, ["window", "both"], ratios, told, seed, KINDS)
    return BoardRecord(f"scoreboard-ablations-{seed}", "make", 0, 3, False, board)


# Regret of the other over that of the unchanged one: 1, 1, 4, 4.
BOARDS = board_of(4, [0.5, 1.0], [0.5, 1.0]), board_of(5, [1.0, 2.0], [4.0, 8.0])
RECORDED = Record("2020-02-20", "Made with care.", BOARDS)


def test_scenarios_of_all_seeds_are_pooled() -> None:
    board = pooled([each.board for each in BOARDS])
    assert list(board.scenarios) == [
        "calm, seed 4", "fast, seed 4", "calm, seed 5", "fast, seed 5",
    ]  # fmt: skip
    own = board.scores["other"]["window"]
    assert own.geometric_mean == pytest.approx(2.0)
    assert (own.worst, own.worst_scenario) == (8.0, "fast, seed 5")
    assert own.families["stationary"] == pytest.approx(2**0.5)
    assert board.scores["other"]["both"].drifting == pytest.approx(3 * 8**0.5)


def test_the_table_tells_what_a_change_does() -> None:
    part = ablation_part(RECORDED)
    assert "over 4 scenarios drawn by seeds 4, 5, replications of each: 3, noise of seed 0" in part
    # The unchanged one reaches 2 once, and is not above it.
    assert "| as it is | 1.00 | 1 | 2.00 (fast, seed 5) | 0 | 4.24 | 0.71 | 1.41 |" in part
    # Logarithms 0, 0, ln 4, ln 4: mean ln 2, standard error ln 2 / sqrt(3).
    low, high = 2 ** (1 - 2 / 3**0.5), 2 ** (1 + 2 / 3**0.5)
    compared = f"2.000 ({low:.3f} to {high:.3f})"
    assert f"| other | 2.00 | {compared} | 8.00 (fast, seed 5) | 2 | 8.49 | 1.41 | 2.83 |" in part
    assert part.endswith("    make ablations ARGS='--fuzz 4 --fuzz 5 --replications 3'")


def test_every_variant_changes_something_and_meets_the_same_scenarios() -> None:
    experiment = ablation_experiment(SEEDS[0])
    assert experiment.scenario_seed == SEEDS[0]
    assert experiment.contestants == tuple(VARIANTS)
    scoreboard = fuzz_experiment(SEEDS[0])
    same = [(w.label, w.family, w.horizons, w.settings) for w in scoreboard.worlds]
    assert [(w.label, w.family, w.horizons, w.settings) for w in experiment.worlds] == same
    assert experiment.comparators == scoreboard.comparators
    builder, (world, horizon) = Builder(experiment), experiment.settings[0]
    played = {label: builder.policy(label, world, horizon) for label in VARIANTS}
    unchanged = played[UNCHANGED]
    assert unchanged == AdaptiveUCB()
    known = {"S": builder.facts(world, horizon)["parameter_norm"]}
    for label, settings in VARIANTS.items():
        numbers = {
            name: evaluate(value, known) if isinstance(value, str) else value
            for name, value in settings.items()
        }
        assert played[label] == unchanged._replace(**numbers)
    assert len(set(played.values())) == len(VARIANTS)


def test_the_whole_way_from_playing_to_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/scoreboard.md"
    begin, end = MARKERS
    page.write_text(f"above\n{begin}\n{end}\nbelow\n")
    # Two scenarios with other families, few rounds, and only two variants.
    small = """
horizons = [40]
checkpoints = 2
[[policies]]
name = "AdaptiveUCB"
label = "as it is"
[[policies]]
name = "AdaptiveUCB"
label = "no optimism"
width = 0.0
[[comparators]]
name = "SlidingWindowUCB"
label = "best window"
grid = { window = [20] }
[[worlds]]
name = "Sinusoid"
family = "waves"
[[worlds]]
name = "Stationary"
family = "stationary"
parameter = [0.1, 0.9]
"""
    monkeypatch.setattr(
        writing,
        "ablation_experiment",
        lambda seed, quick: parse_experiment(f"scenario_seed = {seed}{small}", "of-a-seed"),
    )
    words = ["--ablations", "--root", str(tmp_path)]
    played = [*words, "--fuzz", "7", "--replications", "2", "--jobs", "1", "--quiet"]
    assert writing.main(played) == 0
    text = page.read_text()
    assert text.startswith(f"above\n{begin}\nEach line is `AdaptiveUCB`")
    assert text.endswith(f"{end}\nbelow\n")
    assert text.index("| as it is |") < text.index("| no optimism |")
    (board,) = from_text((tmp_path / RECORD).read_text()).boards
    assert board.command == "make ablations ARGS='--fuzz 7 --replications 2'"
    page.write_text(f"above\n{begin}\nby hand\n{end}\nbelow\n")
    assert writing.main([*words, "--again"]) == 0
    assert page.read_text() == text
    with pytest.raises(SystemExit):
        writing.main([*words, "--no-fuzz"])
    assert "not allowed with argument" in capsys.readouterr().err


def test_what_is_reported_decided_nothing() -> None:
    assert not set(SEEDS) & set(writing.REPORTED)


def test_nobody_has_edited_what_was_published() -> None:
    record = from_text((ROOT / RECORD).read_text("utf-8"))
    page = (ROOT / "docs/scoreboard.md").read_text("utf-8")
    assert page == published_ablations(record, ROOT), "run make ablations ARGS=--again"
    assert [each.board.fuzz for each in record.boards] == list(SEEDS)
    assert all(list(each.board.scores) == list(VARIANTS) for each in record.boards)


def test_pages_that_mention_the_seeds_are_written_with_them(tmp_path: Path) -> None:
    for name in ("README.md", "docs/scoreboard.md", PUBLISHED, RECORD):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    page = (tmp_path / "docs/scoreboard.md").read_text("utf-8")
    record = from_text((tmp_path / RECORD).read_text("utf-8"))
    sentence = other_seeds(record)
    assert page.count(sentence) == 1
    for each in record.boards:
        own = each.board.scores[UNCHANGED]["best window"].ratios.values()
        assert f"{max(own):.2f}" in sentence
        assert str(each.board.fuzz) in sentence
    (tmp_path / "docs/scoreboard.md").write_text(page.replace(sentence, "By hand."), "utf-8")
    assert writing.main(["--ablations", "--again", "--root", str(tmp_path)]) == 0
    assert (tmp_path / "docs/scoreboard.md").read_text("utf-8") == page
