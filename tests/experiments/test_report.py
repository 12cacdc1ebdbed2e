from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from driftwise.experiments.outcome import Outcome
from driftwise.experiments.report import write_report

EMPTY = {"meta", "link", "img", "br", "hr"}
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


class Page(HTMLParser):
    """Collects what a test wants to know, and insists that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.add(tag)
        self.addresses += [
            named[key] or "" for key in ("src", "href", "srcset", "data") if key in named
        ]
        if tag == "img":
            self.images.append(named)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(path: Path) -> tuple[str, Page]:
    text = path.read_text("utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return text, page


def test_the_report_is_one_file(folder: Path) -> None:
    text, page = read(folder / "report.html")
    assert all(address.startswith("data:") for address in page.addresses)
    assert not {"script", "iframe", "object", "embed"} & page.tags
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert len(page.images) == 3
    assert all(len(image["alt"] or "") > 50 for image in page.images)


def test_the_report_opens_with_every_verdict(outcome: Outcome, folder: Path) -> None:
    text = unescape((folder / "report.html").read_text("utf-8"))
    end = text.index("<figure")
    for verdict in outcome.findings.verdicts:
        for part in (verdict.result.value.capitalize(), verdict.claim.quote, verdict.sentence):
            assert 0 < text.index(part) < end
        assert verdict.rule in text


def test_the_report_says_how_to_get_it_again(folder: Path) -> None:
    text = (folder / "report.html").read_text("utf-8")
    assert "driftwise reproduce --seed &lt;7&gt;" in text  # and escapes what it was given
    assert re.search(r"driftwise \d+\.\d+\.\d+, numpy \d+.*numba \d+.*Python 3\.", text)
    for what, taken in (
        ("Ridge", "λ = S = L = 1"),
        ("Ties", "same chance"),
        ("EXP3.S", "Raw rewards"),
    ):
        assert what in text
        assert taken in text
    assert "3√2" in text


def test_the_same_run_gives_the_same_report(outcome: Outcome, folder: Path) -> None:
    from driftwise.experiments.reproduce import draw_all

    drawings = draw_all(outcome.findings)
    assert write_report(outcome.findings, drawings) == (folder / "report.html").read_text("utf-8")
    assert drawings["one-run"].svg == (folder / "one-run.svg").read_bytes()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_report_opens_in_a_browser(folder: Path, tmp_path: Path) -> None:
    probe = """<script>addEventListener("load", () => {
      document.body.dataset.images = [...document.images].map(i => i.naturalWidth).join(" ");
      document.body.dataset.overflow = document.documentElement.scrollWidth - innerWidth;
    });</script></body>"""
    text = (folder / "report.html").read_text("utf-8")
    copy = tmp_path / "report.html"
    copy.write_text(text.replace("</body>", probe), "utf-8")
    browser = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-quic", "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=500,800", "--virtual-time-budget=10000", "--dump-dom", copy.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in browser.stderr
    images = re.search(r'data-images="([\d ]*)"', browser.stdout)
    assert images is not None
    widths = [int(width) for width in images[1].split()]
    assert len(widths) == 3
    assert min(widths) > 0
    # Tables and pictures scroll by themselves; the page does not.
    assert re.search(r'data-overflow="(0|-\d+)"', browser.stdout)
