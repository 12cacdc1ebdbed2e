"""The scoreboard in README.md and docs/: written between markers, from one record, never by hand."""

from __future__ import annotations

from pathlib import Path

from ...core.base.files import write
from ...scores.record import Record, from_text, to_text
from ..figures.scoreboard_picture import Paper, describe_scoreboard, draw_scoreboard
from .ablations import RECORD as ABLATIONS
from .pages import other_seeds, readme_part, scoreboard_part
from .parts import parts_of

__all__ = ["BEGIN", "END", "PAGE", "RECORD", "between_markers", "drawn", "publish", "published"]

BEGIN, END = "<!-- scoreboard:begin -->", "<!-- scoreboard:end -->"
_PAPERS: tuple[Paper, Paper] = ("light page", "dark page")
README, PAGE = "README.md", "docs/scoreboard.md"
RECORD = "src/driftwise/scores/scoreboard.json"  # in the package, which recommends by it


def publish(record: Record, root: Path) -> list[Path]:
    """Write record, figures, page and README; return what was written.

    What stands outside the markers stays as it is.
    """
    # A round trip, so that the pages are made of the very numbers that the file holds.
    record = from_text(to_text(record))
    pages = {name: page.encode() for name, page in published(record, root).items()}
    figures = drawn(record)
    for stale in (root / "docs").glob("scoreboard*.svg"):
        if f"docs/{stale.name}" not in figures:
            stale.unlink()
    (root / RECORD).parent.mkdir(parents=True, exist_ok=True)
    files = {RECORD: to_text(record).encode()} | figures | pages
    return [write(root / name, content) for name, content in files.items()]


def drawn(record: Record) -> dict[str, bytes]:
    """Return the figures of all boards by their place, for light and for dark pages."""
    return {
        f"docs/{name}": draw_scoreboard(part.board, paper=paper, is_short=True).svg
        for each in record.boards
        for part in parts_of(each)
        for name, paper in zip(part.pictures, _PAPERS, strict=True)
    }


def published(record: Record, root: Path) -> dict[str, str]:
    """Return README and page as they must be, given the record and what is written by hand."""
    words = [
        [describe_scoreboard(part.board, is_short=True) for part in parts_of(each)]
        for each in record.boards
    ]
    parts = {
        README: readme_part(record),
        PAGE: scoreboard_part(record, words, _other_seeds(root)),
    }
    return {
        name: between_markers((root / name).read_text("utf-8"), part, name)
        for name, part in parts.items()
    }


def _other_seeds(root: Path) -> str:
    """Return how it went on the seeds of the ablations, if they were played."""
    path = root / ABLATIONS
    return other_seeds(from_text(path.read_text("utf-8"))) if path.exists() else ""


def between_markers(
    text: str, part: str, name: str, markers: tuple[str, str] = (BEGIN, END)
) -> str:
    r"""Return the text with what is between the markers replaced.

    Examples
    --------
    >>> print(between_markers(f"by hand\n{BEGIN}\nold\n{END}\nby hand", "new", "README.md"))
    by hand
    <!-- scoreboard:begin -->
    new
    <!-- scoreboard:end -->
    by hand
    """
    begin, end = markers
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"{name} must have one line {begin} and, below, one line {end}")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{part}\n{end}{rest.split(end)[1]}"
