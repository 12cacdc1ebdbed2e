"""The README: short, its pictures as drawn today, its numbers generated."""

from __future__ import annotations

import re
from pathlib import Path

from docs.site.playing import play_page
from docs.site.readme_pictures import FOLDER, readme_pictures
from driftwise.experiments.scoreboard.publishing import BEGIN, END

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
# A version of Python, a year, the number of an assumption, and powers of T: facts, not measurements.
FACTS = {"3.11", "2019", "1", "3", "4", "2"}


def test_it_is_short() -> None:
    assert len(README.split()) <= 700


def test_numbers_are_generated() -> None:
    by_hand = re.sub(f"{BEGIN}.*{END}|```.*?```|^    .*?$|<[^>]*>", "", README, flags=re.S | re.M)
    assert set(re.findall(r"\d+(?:\.\d+)?", by_hand)) <= FACTS


def test_both_commands_come_first() -> None:
    commands = re.findall(r"^    (.*?)(?:  +#.*)?$", README, flags=re.M)
    assert commands[:2] == ["make reproduce", "make test"]


def test_its_code_and_the_recommendation_run(tmp_path: Path) -> None:
    text = README.replace("    driftwise run scoreboard", "")  # which takes an hour
    (tmp_path / "README.md").write_text(text, "utf-8")
    played = play_page(tmp_path / "README.md", tmp_path)
    assert played.n_examples == 8
    assert played.n_commands == 1


def test_its_pictures_are_those_of_today() -> None:
    drawn = readme_pictures(ROOT)
    assert all(f"docs/pictures/{name}" in README for name in drawn)
    for name, content in drawn.items():
        assert (ROOT / FOLDER / name).read_bytes() == content, "draw them again: make pictures"
