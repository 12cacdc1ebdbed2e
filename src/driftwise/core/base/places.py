"""Where in a TOML file a key stands, so that an error can name the line."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["Place", "find_lines", "line_of"]

Place = tuple[str | int, ...]  # such as ("policies", 1, "window")

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]")
_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_KEY = re.compile(rf"^\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_FENCE = re.compile("\"\"\"|'''")


def find_lines(text: str) -> dict[Place, int]:
    r"""Return the line of every table and every key of a TOML file, counted from 1.

    The standard parser does not tell; this reads headers and the beginnings of lines, which is all
    that an error needs. Keys inside inline tables are not listed.

    Examples
    --------
    >>> find_lines('seed = 1\n[[policies]]\nname = "A"\n[[policies]]\nname = "B"')
    {('seed',): 1, ('policies', 0): 2, ('policies', 0, 'name'): 3,
     ('policies', 1): 4, ('policies', 1, 'name'): 5}
    """
    lines: dict[Place, int] = {}
    counts: Counter[Place] = Counter()
    table: Place = ()
    is_inside_text = False
    for number, line in enumerate(text.splitlines(), start=1):
        fences = len(_FENCE.findall(line))
        if is_inside_text:
            is_inside_text = fences % 2 == 0
            continue
        is_inside_text = fences % 2 == 1
        if header := _HEADER.match(line):
            path = _indexed(_parts(header[2]), counts)
            if header[1] == "[[":
                path = (*path, counts[path])
                counts[path[:-1]] += 1
            table = path
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def line_of(place: Place, lines: dict[Place, int]) -> int | None:
    """Return the line of a place, of the first that is inside it, or of what it is inside."""
    if place and place not in lines:  # a table may have no header of its own, as a in [a.b]
        for each, line in lines.items():
            if each[: len(place)] == place:
                return line
    for length in range(len(place), 0, -1):
        if place[:length] in lines:
            return lines[place[:length]]
    return None


def _parts(key: str) -> Place:
    return tuple(part.strip("\"'") for part in re.findall(_PART, key))


def _indexed(path: Place, counts: Counter[Place]) -> Place:
    """Return a path through arrays of tables: each stands for its last entry so far."""
    found: Place = ()
    for i, part in enumerate(path):
        found = (*found, part)
        if i < len(path) - 1 and counts[found]:
            found = (*found, counts[found] - 1)
    return found
