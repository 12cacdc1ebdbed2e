"""Small pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

__all__ = ["plain", "table", "with_powers"]

_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.M | re.S)
_POWER = re.compile(r"\^(?:\((-?\d+(?:/\d+)?)\)|(-?\d+))")


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
    'K<sup>2</sup> \\* d\\_t, `a_b`, \\<x>, \\[y\\]'
    """
    return with_powers(_outside_code(lambda part: re.sub(r"([*_<\[\]$])", r"\\\1", part), text))


def with_powers(text: str) -> str:
    """Return text with numbers that are raised, but in code.

    Examples
    --------
    >>> with_powers("T^(2/3) d^2, `x^2`")
    'T<sup>2/3</sup> d<sup>2</sup>, `x^2`'
    """
    raised = r"<sup>\1\2</sup>"
    return _outside_code(lambda part: _POWER.sub(raised, part), text)


def _outside_code(change: Callable[[str], str], text: str) -> str:
    parts = _CODE.split(text)
    return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))
