"""Small pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["plain", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str = "") -> str:
    r"""Return a table; ``sides`` has an l or an r for each column, all l by default.

    Examples
    --------
    >>> print(table(("name", "n"), [("a|b", "1")], "lr"))
    | name | n |
    | --- | ---: |
    | a\|b | 1 |
    """
    rule = ["---:" if side == "r" else "---" for side in sides or "l" * len(head)]
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(head), rule, *cells])


def plain(text: str) -> str:
    r"""Return text in which nothing is taken for Markdown but code between backticks.

    Examples
    --------
    >>> plain("K^2 * d_t, `a_b`, <x>, [y]")
    'K^2 \\* d\\_t, `a_b`, \\<x>, \\[y\\]'
    """
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if place % 2 else re.sub(r"([*_<\[\]$])", r"\\\1", part)
        for place, part in enumerate(parts)
    )
