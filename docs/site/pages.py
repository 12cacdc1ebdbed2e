"""All pages of the site by place: those of the repository, and those made of the code."""

from __future__ import annotations

import inspect
import pydoc
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path

from .at_work import drawn_policies, drawn_worlds
from .choosing import decision_tree, draw_tree
from .command_line import command_line_page
from .formulas import rates_table
from .house import draw_house, rooms_table
from .members import policy_pages, world_pages
from .playing import play_page
from .real_data import bikes
from .reference import reference_pages
from .relocating import relocated_tree
from .reproduction import reproduced
from .scores import kind_table

__all__ = ["INSERTS", "all_pages", "played_pages", "source_of", "with_globs", "with_inserts"]

# What pages may have inserted, by name.
INSERTS: dict[str, Callable[[], str]] = {
    "decision_tree": decision_tree,
    "rates": rates_table,
    "scores_with_clicks": lambda: kind_table(lambda family, kind: kind.rewards == "clicks"),
    "scores_with_late_rewards": lambda: kind_table(lambda family, kind: kind.is_late),
    "scores_with_prices": lambda: kind_table(lambda family, kind: family == "pricing"),
}
_CODE = re.compile(rb"<!-- code: ([\w.]+) -->")
_INSERT = re.compile(rb"<!-- insert: (\w+) -->")
_PATTERN = re.compile(r"[\w/-]*\*[\w-]*")  # a line of a toctree


def all_pages(root: Path) -> dict[str, bytes]:
    """Return every file that Sphinx reads, by its place; ``root`` is that of the repository."""
    written = reference_pages() | {"reference/command-line.md": command_line_page()}
    pages = relocated_tree(root) | {name: text.encode() for name, text in written.items()}
    pages |= policy_pages(drawn_policies()) | world_pages(drawn_worlds())
    pages |= played_pages(root)
    reproduction, pictures = reproduced()
    evaluated, of_bikes = bikes(root)
    pictures |= of_bikes
    house, tree = draw_house(root), draw_tree()
    pictures |= {"inside/pictures/house.svg": house.svg, "guides/pictures/tree.svg": tree.svg}
    inserts = INSERTS | {
        "reproduction": lambda: reproduction,
        "bikes": lambda: evaluated,
        "house": lambda: f"![{house.words}](pictures/house.svg)",
        "rooms": lambda: rooms_table(root),
        "tree_picture": lambda: f"![{tree.words}](pictures/tree.svg)",
    }
    pages = {name: with_inserts(content, inserts) for name, content in (pages | pictures).items()}
    return pages | {"index.md": with_globs(pages["index.md"].decode(), pages).encode()}


def played_pages(root: Path) -> dict[str, bytes]:
    """Return the pictures of all pages that have pictures made by their own code."""
    pictures = dict[str, bytes]()
    for page in sorted((root / "docs").rglob("*.md")):
        if "](generated/" in page.read_text("utf-8"):
            with tempfile.TemporaryDirectory() as folder:
                drawn = play_page(page, Path(folder)).pictures
            place = page.parent.relative_to(root / "docs").as_posix()
            pictures |= {f"{place}/{name}": content for name, content in drawn.items()}
    return pictures


def with_inserts(content: bytes, inserts: Mapping[str, Callable[[], str]]) -> bytes:
    """Return a file with its comments replaced: by what ``inserts`` make, or by source code.

    Examples
    --------
    >>> with_inserts(b"One: <!-- insert: one -->", {"one": lambda: "1"})
    b'One: 1'
    """
    content = _INSERT.sub(lambda found: inserts[found[1].decode()]().encode(), content)
    return _CODE.sub(lambda found: source_of(found[1].decode()).encode(), content)


def source_of(name: str) -> str:
    """Return the source code of a class or function, by its full name, as a block of Markdown."""
    source = inspect.getsource(pydoc.locate(name))  # type: ignore[arg-type]  # no name is wrong here
    return f"```python\n{textwrap.dedent(source)}```"


def with_globs(index: str, pages: Iterable[str]) -> str:
    r"""Return the index with the pages in place of each pattern that no line names, so that none is there twice.

    Examples
    --------
    >>> with_globs("one\n*\n*-measured", ["one.md", "two.md", "speed-measured.md", "guides/three.md"])
    'one\ntwo\nspeed-measured\n'
    """
    lines = index.splitlines()
    left = {name.removesuffix(".md") for name in pages if name.endswith(".md")} - {*lines, "index"}
    found = dict[str, list[str]]()
    for pattern in sorted(filter(_PATTERN.fullmatch, lines), key=len, reverse=True):
        found[pattern] = sorted(
            page
            for page in left
            if fnmatch(page, pattern) and page.count("/") == pattern.count("/")
        )
        left -= {*found[pattern]}
    return "".join(f"{page}\n" for line in lines for page in found.get(line, [line]))
