"""Printing for people, at any width and with no escape codes in a pipe, and for programs."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from ..core.base.showing import plain_number

__all__ = [
    "answer",
    "grid",
    "heading",
    "paragraph",
    "plain_number",
    "print_json",
    "show",
    "table",
    "table_with_bars",
]

_LONGEST_BAR = 30


def print_json(document: Mapping[str, Any]) -> None:
    """Print one strict JSON document."""
    print(json.dumps(document, indent=2, allow_nan=False))


def answer(found: Any, as_json: bool) -> None:
    """Print what was found as one JSON document, or as text for people."""
    if as_json:
        print_json(found.as_dict())
    else:
        show(paragraph(found.as_text()))


def show(*parts: RenderableType) -> None:
    """Print texts and tables one below the other."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, Table) and part.box is not None:
                _fit(part, console.width)
            console.print(part, crop=False)
    # Tables come padded to their full width, which a file or a narrow pager has no use for.
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def heading(text: str) -> Text:
    """Return a line that stands out on a terminal."""
    return Text(text, style="bold")


def paragraph(text: str, indent: str = "") -> Text:
    """Return text that is wrapped between words, each line with an indent.

    A line that begins with spaces keeps its own indent; a word that is too long, such as a path,
    is left whole.
    """
    width, lines = _console().width, []
    for line in text.splitlines():
        own = indent + " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(
            line.strip(),
            width,
            initial_indent=own,
            subsequent_indent=own,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return Text("\n".join(lines), no_wrap=True, overflow="ignore")


def table(*columns: str) -> Table:
    """Return a table without frames; a column whose name begins with ">" is flush right."""
    lines = Table(box=box.SIMPLE_HEAD, header_style="", pad_edge=False)
    for name in columns:
        justify: JustifyMethod = "right" if name.startswith(">") else "left"
        lines.add_column(name.lstrip(">"), justify=justify, overflow="fold")
    return lines


def table_with_bars(
    columns: Sequence[str], rows: Sequence[Sequence[str]], lengths: Sequence[float]
) -> Table:
    """Return a table with a bar at the end of each row, in the room that is left."""
    texts = [[name.lstrip(">") for name in columns], *rows]
    room = (
        _console().width - 2 - sum(max(map(len, column)) + 3 for column in zip(*texts, strict=True))
    )
    block = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    scale = max(0, min(room, _LONGEST_BAR)) / (max(lengths) or 1.0)
    lines = table(*columns, "")
    for row, length in zip(rows, lengths, strict=True):
        lines.add_row(*row, block * round(scale * length))
    return lines


def _fit(lines: Table, room: int) -> None:
    """Make a table narrow by wrapping words; one whose words and numbers need more room takes it."""
    widths, least = [], []
    for column in lines.columns:
        header, cells = str(column.header), list(map(str, column.cells))
        whole = cells if column.justify == "right" else " ".join(cells).split()
        widths.append(max(map(cell_len, [header, *cells])))
        least.append(max(map(cell_len, [*header.split(), *whole]), default=0))
    frame = 3 * len(widths) - 1  # what stands between columns, and at both ends
    while sum(widths) + frame > room and widths != least:
        loosest = max(range(len(widths)), key=lambda i: widths[i] - least[i])
        widths[loosest] -= 1
    for column, width in zip(lines.columns, widths, strict=True):
        column.width = width
    lines.width = sum(widths) + frame


def grid(rows: Iterable[tuple[str, str]]) -> Table:
    """Return names with their texts beside them."""
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(style="dim", no_wrap=True)
    lines.add_column(overflow="fold")
    for name, text in rows:
        lines.add_row(f"  {name}", text)
    return lines


def _console() -> Console:
    # Texts are taken as they are: "[0, 1]" is an interval, not a style.
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
