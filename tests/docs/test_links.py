"""The check of links finds what is broken, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.site.links import broken_links


def built(site: Path, body: str, css: str = "") -> list[str]:
    (site / "folder").mkdir()
    (site / "index.html").write_text(f"<h1 id='top'>x</h1>{body}", "utf-8")
    (site / "folder" / "other.html").write_text("<a href='../index.html#top'>up</a>", "utf-8")
    (site / "style.css").write_text(css, "utf-8")
    return broken_links(site)


@pytest.mark.parametrize(
    "body",
    [
        "<a href='folder/other.html'>a</a>",
        "<a href='#top'>a</a>",
        "<a href='https://example.org'>a reader may click</a>",
        "<img src='data:image/png;base64,AA=='>",
        "<link rel='stylesheet' href='style.css?v=1'>",
    ],
)
def test_what_leads_somewhere_is_fine(body: str, tmp_path: Path) -> None:
    assert built(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<a href='missing.html'>a</a>", "index.html: missing.html is no file"),
        (
            "<a href='folder/other.html#no'>a</a>",
            "index.html: folder/other.html#no is no place on that page",
        ),
        ("<img src='missing.svg'>", "index.html: missing.svg is no file"),
        (
            "<script src='https://example.org/x.js'></script>",
            "index.html: https://example.org/x.js is loaded from another site",
        ),
        (
            "<link href='//example.org/font.css'>",
            "index.html: //example.org/font.css is loaded from another site",
        ),
    ],
)
def test_what_leads_nowhere_is_told(body: str, problem: str, tmp_path: Path) -> None:
    assert built(tmp_path, body) == [problem]


def test_a_style_that_loads_from_outside_is_told(tmp_path: Path) -> None:
    css = "@font-face { src: url('https://example.org/font.woff') }"
    assert built(tmp_path, "", css) == ["style.css: loads from another site"]
