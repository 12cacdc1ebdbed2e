"""Every link of the built site leads somewhere, and nothing is loaded from outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

__all__ = ["broken_links"]

_LOADED = {"img", "link", "script", "source", "iframe", "video", "audio", "object"}
_CSS_LOADS = re.compile(r"(?:url\(|@import)\s*['\"]?\s*(?:https?:)?//")


class _Link(NamedTuple):
    tag: str
    target: str


class _Page(HTMLParser):
    """What a page can be linked by, and what it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.links = set[str](), list[_Link]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and links."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name in ("href", "src", "srcset", "data"):
            if name in given:
                self.links.append(_Link(tag, given[name]))


def broken_links(site: Path) -> list[str]:
    """Return a sentence for each link that leads nowhere, and for each load from outside.

    Links to other sites are allowed where a reader must click on them, and are not fetched.
    """
    pages = {path.resolve(): _Page(path.read_text("utf-8")) for path in site.rglob("*.html")}
    wrong = [
        f"{path.relative_to(site.resolve())}: {link.target} {problem}"
        for path, page in pages.items()
        for link in page.links
        for problem in _problems(path, link, pages)
    ]
    wrong += [
        f"{path.relative_to(site)}: loads from another site"
        for path in site.rglob("*.css")
        if _CSS_LOADS.search(path.read_text("utf-8"))
    ]
    return sorted(set(wrong))


def _problems(path: Path, link: _Link, pages: dict[Path, _Page]) -> Iterator[str]:
    parts = urlsplit(link.target)
    if parts.scheme == "data":
        return
    if parts.scheme or parts.netloc:
        if link.tag in _LOADED:
            yield "is loaded from another site"
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        yield "is no file"
    elif (
        target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].anchors
    ):
        yield "is no place on that page"
