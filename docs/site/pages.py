"""All pages of the site by place: those of the repository, and those made of the code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .command_line import command_line_page
from .members import policy_pages, world_pages
from .reference import reference_pages
from .relocating import relocated_tree

__all__ = ["all_pages"]


def all_pages(root: Path) -> dict[str, bytes]:
    """Return every file that Sphinx reads, by its place; ``root`` is that of the repository."""
    written = policy_pages() | world_pages() | reference_pages()
    written |= {"reference/command-line.md": command_line_page()}
    pages = relocated_tree(root) | {name: text.encode() for name, text in written.items()}
    return pages | {"index.md": _without_empty_globs(pages["index.md"].decode(), pages).encode()}


def _without_empty_globs(index: str, pages: Iterable[str]) -> str:
    """Return the index without patterns that nothing matches yet, of which Sphinx would warn."""
    folders = {name.rpartition("/")[0] for name in pages}
    lines = index.splitlines(keepends=True)
    return "".join(
        line for line in lines if not line.endswith("/*\n") or line[: -len("/*\n")] in folders
    )
