"""The published scoreboard: what pages say is what the record holds, and nobody edits it."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwise.experiments.analysis.target import goals_of
from driftwise.experiments.scoreboard.pages import readme_part, scoreboard_part
from driftwise.experiments.scoreboard.publishing import (
    BEGIN,
    END,
    RECORD,
    between_markers,
    drawn,
    publish,
    published,
)
from driftwise.scores.board import Kind, scoreboard_of
from driftwise.scores.record import BoardRecord, Record, from_text, to_text

ROOT = Path(__file__).parents[3]
FAMILIES = {"calm day": "stationary", "fast": "waves", "slow": "waves"}
KINDS = dict.fromkeys(FAMILIES, Kind("arms", "amounts", False))
RATIOS = {
    "AdaptiveUCB": {"window": [0.5, 0.4, 0.8], "both": [1.0, 1.2, 1.5]},
    "BanditOverBandit": {"window": [4.0, 8.0, 2.0], "both": [8.0, 9.0, 10.0]},
    "LinTS": {"window": [3.0, 9.0, 1.0], "both": [3.0, 20.0, 1.0]},
    "UCB1": {"window": [0.3, 5.0], "both": [0.4, 6.0]},
}


def board_of(fuzz: int | None) -> BoardRecord:
    ratios = {
        policy: {label: dict(zip(FAMILIES, values, strict=False)) for label, values in own.items()}
        for policy, own in RATIOS.items()
    }
    told = dict.fromkeys(RATIOS, "noise")
    board = scoreboard_of(FAMILIES, ["window", "both"], ratios, told, fuzz, KINDS)
    name = "scoreboard" if fuzz is None else f"scoreboard-fuzz-{fuzz}"
    return BoardRecord(name, f"driftwise run {name}", 0, 5, fuzz is None, board)


RECORDED = Record("2020-02-20", "Made with care.", (board_of(None), board_of(7)))


def test_a_record_survives_its_file() -> None:
    assert from_text(to_text(RECORDED)) == RECORDED


def test_scenarios_that_were_drawn_come_first() -> None:
    assert RECORDED.headline.name == "scoreboard-fuzz-7"
    assert RECORDED._replace(boards=RECORDED.boards[:1]).headline.name == "scoreboard"


def test_the_readme_tells_the_numbers_and_the_seed() -> None:
    part = readme_part(RECORDED, "In words.")
    assert 'alt="In words." src="docs/scoreboard-fuzz-7.svg"' in part
    _, head, _, row = (line for line in part.splitlines() if line.startswith("|") or "<img" in line)
    scores = dict(zip(head.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
    assert scores["`AdaptiveUCB`"] == "0.54"
    assert "`LinTS`" in scores, "the best of the others"
    assert "`UCB1`" not in scores, "it cannot play everywhere"
    assert "drawn by seed 7" in part


def test_the_page_has_both_yardsticks_every_family_and_the_target() -> None:
    part = scoreboard_part(RECORDED, ["first", "second"], "On others.")
    assert part.index("In 3 fixed scenarios, 5 replications each (a quick look), `AdaptiveUCB`") < (
        part.index("drawn by seed 7, 5 replications each, `AdaptiveUCB`")
    )
    assert "The target was 0.50, 2.00, 1.30." in part
    assert part.count("\n\nOn others.\n\n") == 1  # below the target of the seed that is reported
    for words in ("### Against the window", "### Against the both"):
        assert part.count(words) == 2, "for each board"
    assert part.count("| policy | stationary | waves |") == 4
    assert "| `UCB1` | noise | 1.22 | 5.00 | 5.00 (fast) | 2 |" in part
    assert "| geometric mean over the window | 0.50 | 0.54 | missed |" in part
    assert "| worst over the window | 2.00 | 0.80 | met |" in part
    assert "Scenarios of seed 7, noise of seed 0" in part
    assert [goal.is_met for goal in goals_of(board_of(7).board, "AdaptiveUCB")] == [
        False, True, False,
    ]  # fmt: skip


def test_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("README.md", "docs/scoreboard.md"):
        (tmp_path / name).write_text(f"# Mine\n{BEGIN}\nold\n{END}\n## Which seeds decided what\n")
    (tmp_path / "docs/scoreboard-fuzz-6.svg").write_text("of another day")
    publish(RECORDED, tmp_path)
    first = {path.name: path.read_bytes() for path in sorted(tmp_path.glob("**/*.*"))}
    assert first["README.md"].startswith(f"# Mine\n{BEGIN}\n<picture>".encode())
    assert first["scoreboard.md"].endswith(f"{END}\n## Which seeds decided what\n".encode())
    assert "scoreboard-fuzz-6.svg" not in first
    assert first["scoreboard.svg"] != first["scoreboard-dark.svg"]
    publish(RECORDED, tmp_path)
    again = {path.name: path.read_bytes() for path in sorted(tmp_path.glob("**/*.*"))}
    assert again == first


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_markers_that_are_not_there_are_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"README.md must have one line <!-- scoreboard:begin -->"):
        between_markers(text, "new", "README.md")


def test_one_page_has_room_for_several_parts() -> None:
    page = f"{BEGIN}\nboard\n{END}\n<a>\nold\n</a>\n"
    new = f"{BEGIN}\nboard\n{END}\n<a>\nnew\n</a>\n"
    assert between_markers(page, "new", "page.md", ("<a>", "</a>")) == new


def test_nobody_has_edited_what_was_published() -> None:
    record = from_text((ROOT / RECORD).read_text("utf-8"))
    for name, text in published(record, ROOT).items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: run make scoreboard ARGS=--again"
    for name, figure in drawn(record).items():
        assert (ROOT / name).read_bytes() == figure, f"{name}: run make scoreboard ARGS=--again"
