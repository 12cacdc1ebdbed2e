"""The published scoreboard: what pages say is what the record holds, and nobody edits it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from matplotlib.textpath import TextPath

from driftwise.experiments.analysis.target import goals_of
from driftwise.experiments.figures.scoreboard_picture import _room_for
from driftwise.experiments.scoreboard.pages import readme_part, scoreboard_part
from driftwise.experiments.scoreboard.parts import parts_of
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
from driftwise.scores.record import BoardRecord, Record, from_text, published_record, to_text

ROOT = Path(__file__).parents[3]
FAMILIES = {"calm day": "stationary", "fast": "waves", "dollars": "units"}
KINDS = dict.fromkeys(FAMILIES, Kind("arms", "amounts", False))
RATIOS = {
    "AdaptiveUCB": {"window": [0.5, 0.4, 0.8], "both": [1.0, 1.2, 1.5]},
    "BanditOverBandit": {"window": [4.0, 8.0, 2.0], "both": [8.0, 9.0, 10.0]},
    "LinTS": {"window": [3.0, 9.0, 1.0], "both": [3.0, 20.0, 1.0]},
    "LinTS (practical)": {"window": [1.0, 1.0, 1.0], "both": [1.0, 1.0, 1.0]},
    "UCB1": {"window": [0.3, 5.0], "both": [0.4, 6.0]},
}


def board_of(
    fuzz: int | None, given: Mapping[str, Mapping[str, list[float]]] = RATIOS
) -> BoardRecord:
    ratios = {
        policy: {label: dict(zip(FAMILIES, values, strict=False)) for label, values in own.items()}
        for policy, own in given.items()
    }
    told = dict.fromkeys(given, "noise")
    board = scoreboard_of(FAMILIES, ["window", "both"], ratios, told, fuzz, KINDS)
    name = "scoreboard" if fuzz is None else f"scoreboard-fuzz-{fuzz}"
    return BoardRecord(name, f"driftwise run {name}", 0, 5, fuzz is None, board)


RECORDED = Record("2020-02-20", "Made with care.", (board_of(None), board_of(7)))


def test_a_record_survives_its_file() -> None:
    assert from_text(to_text(RECORDED)) == RECORDED


def test_scenarios_that_were_drawn_come_first() -> None:
    assert RECORDED.headline.name == "scoreboard-fuzz-7"
    assert RECORDED._replace(boards=RECORDED.boards[:1]).headline.name == "scoreboard"


def test_the_readme_has_one_row() -> None:
    part = readme_part(RECORDED)
    assert 'src="docs/scoreboard-fuzz-7-laboratory.svg"' in part
    assert "|  | laboratory: mean | worst | field: mean | worst |" in part
    assert "| `AdaptiveUCB` | 0.45 | 0.50 | 0.80 | 0.80 |" in part
    assert part.count("\n| `") == 1
    assert "Better" not in part
    assert "3 scenarios drawn by seed 7, 5 replications each" in part
    better = {**RATIOS, "LinTS": {"window": [0.1, 0.1, 9.0], "both": [0.1, 0.1, 9.0]}}
    part = readme_part(Record("2020-02-20", "Made with care.", (board_of(7, better),)))
    assert part.count("\n| `") == 1
    assert "Better in the laboratory: `LinTS`." in part


def test_the_page_has_both_yardsticks_every_family_and_the_target() -> None:
    words = [["first", "second"], ["third", "fourth"]]
    part = scoreboard_part(RECORDED, words, "On others.")
    assert part.index("## Field") < part.index("## Yardsticks, and what policies were told")
    assert part.count("\n\nOn others.\n\n") == 1  # below the target of the seed that is reported
    assert 'alt="third" src="scoreboard-fuzz-7-laboratory.svg"' in part
    assert part.count("## Field: 1 scenarios drawn by seed 7") == 1
    for words_of in ("### Against the window", "### Against the both"):
        assert part.count(words_of) == 4, "for each part of each board"
    assert part.count("| policy | stationary | waves |") == 2
    # As theory says, then as practice would: logarithms ln 3 and ln 9, a standard error of ln 3 / 2.
    theory = f"{27**0.5:.2f} ({27**0.5 / 3:.2f} to {27**0.5 * 3:.2f})".replace("15.59", "16")
    assert f"| `LinTS` | noise | {theory} | 9.00 (fast) | 1.00 (1.00 to 1.00) | 1.00" in part
    assert "| `UCB1` | noise | 1.22" in part
    assert "| geometric mean over the window | 0.42 | 0.45 | missed |" in part
    assert "| worst over the window | 2.00 | 0.50 | met |" in part
    assert "Scenarios of seed 7, noise of seed 0" in part
    board = parts_of(board_of(7))[0].board
    assert [goal.is_met for goal in goals_of(board, "AdaptiveUCB")] == [False, True, True]


def test_every_name_has_room_in_the_picture() -> None:
    board = published_record().headline.board
    room = _room_for(board.scores)
    for name in board.scores:
        text = TextPath((0.0, 0.0), name, size=11.0)
        assert text.get_extents().width / 72.0 + 0.1 < room, name


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
    assert first["scoreboard-field.svg"] != first["scoreboard-field-dark.svg"]
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
