"""Pages of the repository find their files on the site, too."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from docs.site.relocating import place_of, relocated, relocated_tree

ROOT = Path(__file__).parents[2]
FILES = relocated_tree(ROOT)


def test_outside_links_stay_as_they_are() -> None:
    said = "[a](https://example.org/a.md) and [b](#here)"
    assert relocated(said, "README.md") == said


def test_a_picture_becomes_one_for_light_and_one_for_dark_pages() -> None:
    said = (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="b-dark.svg">\n'
        '  <img alt="A board" src="b.svg" width="830">\n</picture>'
    )
    shown = relocated(said, "docs/scoreboard.md")
    assert re.findall(r"\{figure\} (\S+)\n:class: (\S+)\n:figclass: \2\n:alt: (.*)", shown) == [
        ("b.svg", "only-light", "A board"),
        ("b-dark.svg", "only-dark", "A board"),
    ]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".md")])
def test_every_link_of_a_page_leads_to_a_file_of_the_site(name: str) -> None:
    made = ("policies/", "worlds/", "reference/", "generated/")  # by the build
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", FILES[name].decode()):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        assert ":" in target or place in FILES or any(part in place for part in made)


def test_files_beside_the_docs_come_along() -> None:
    assert FILES[place_of("examples/my_policy.py")] == (ROOT / "examples/my_policy.py").read_bytes()
