"""The files of the page, under names that change with what is in them, so that they may be kept for ever."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Sequence
from importlib.resources import files
from urllib.parse import quote

from .stream import Past

__all__ = ["Page", "links"]

_FOLDERS = (("driftwise.service", "page"), ("driftwise.pages", "vendor"))
_CURRENT = " aria-current=page"
_FEW = 8  # problems that are listed without being asked for
_KINDS = {"js": "text/javascript", "css": "text/css"}


class Page:
    """All files of the page, read once."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._names: dict[str, str] = {}  # under which a file is served
        for package, folder in _FOLDERS:
            for file in (files(package) / folder).iterdir():
                name, content = file.name, file.read_bytes() if file.is_file() else b""
                if name.rpartition(".")[2] in _KINDS:
                    mark = hashlib.sha256(content).hexdigest()[:12]
                    self._names[name] = f"{mark}.{name}"
                    self._files[f"{mark}.{name}"] = content
        self._template = (files("driftwise.service") / "page" / "index.html").read_text("utf-8")

    def file(self, name: str) -> tuple[bytes, str] | None:
        """Return a file and its kind, by the name under which it is served."""
        content = self._files.get(name)
        return None if content is None else (content, _KINDS[name.rpartition(".")[2]])

    def index(self, past: Past, problems: str = "") -> str:
        """Return the page of a problem, with links to others; without scripts a table of numbers."""

        def filled(match: re.Match[str]) -> str:
            key = match[1]
            if key in self._names:
                return f"/page/{self._names[key]}"
            return {
                "problem": html.escape(past.head.problem),
                "numbers": _numbers(past),
                "problems": problems,
            }.get(key, match[0])

        return re.sub(r"\{([\w.]+)\}", filled, self._template)

    def choice(self, problems: str, told: str) -> str:
        """Return a page that shows no problem, but leads to all."""
        return (
            "<!doctype html><html lang=en><meta charset=utf-8><title>driftwise</title>"
            "<meta name=viewport content='width=device-width, initial-scale=1'>"
            "<meta name=color-scheme content='light dark'><link rel=icon href='data:,'>"
            f"<link rel=stylesheet href='/page/{self._names['page.css']}'>"
            f"<header><h1>driftwise</h1>{problems}<p class=soft>{html.escape(told)}</p></header></html>"
        )


def links(names: Sequence[str], templates: Sequence[str], current: str = "") -> str:
    """Return a list of links to the pages of problems, and a form for those of templates."""
    if len(names) < 2 and not templates:
        return ""
    items = (
        f"<li><a href='/?problem={quote(name)}'{_CURRENT if name == current else ''}>{html.escape(name)}</a>"
        for name in names
    )
    is_open = " open" if len(names) <= _FEW or not current else ""
    listed = f"<details{is_open}><summary>Problems</summary><ul>{''.join(items)}</ul></details>"
    form = ""
    if templates:
        form = (
            f"<form action='/'><label>One of {html.escape(', '.join(templates))}: <input name=problem "
            f"value='{html.escape(templates[0])}.' autocomplete=off required></label> <button>Open</button></form>"
        )
    return f"<nav aria-label='Problems'>{listed if names else ''}{form}</nav>"


def _numbers(past: Past) -> str:
    now, head = past.now, past.head
    rows = {
        "policy": head.policy,
        "mode": now.mode + (", learning is frozen" if now.is_frozen else ""),
        "events": f"{now.seq:,}",
        "open decisions": f"{now.open:,}",
        **{f"decisions, {name}": f"{count:,}" for name, count in now.branches.items()},
        **{f"rewards, {name}": f"{count:,}" for name, count in now.statuses.items()},
        "decisions without reward": f"{now.expired:,}",
    }
    cells = (f"<tr><th>{html.escape(k)}<td>{html.escape(v)}" for k, v in rows.items())
    return f"<table>{''.join(cells)}</table>"
