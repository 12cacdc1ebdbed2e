"""What a class says about its settings, read from its docstring for a plain terminal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["meanings_of"]


def meanings_of(cls: type[Any]) -> dict[str, str]:
    r"""Return what the section Parameters says about each setting, as plain text.

    Examples
    --------
    >>> class Walk:
    ...     '''A walk.
    ...
    ...     Parameters
    ...     ----------
    ...     horizon
    ...         The number of rounds :math:`T`.
    ...     start, end
    ...         Where ``it`` begins,
    ...         and where it ends.
    ...
    ...     Notes
    ...     -----
    ...     None.
    ...     '''
    >>> meanings_of(Walk)
    {'horizon': 'The number of rounds T.', 'start': 'Where it begins, and where it ends.',
     'end': 'Where it begins, and where it ends.'}
    """
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in _section(inspect.getdoc(cls) or "", "Parameters"):
        if line and not line.startswith(" "):
            names = [name.partition(":")[0].strip(" *") for name in line.split(",")]
            found |= {name: [] for name in names}
        elif line.strip():
            for name in names:
                found[name].append(line.strip())
    return {name: _plain(" ".join(lines)) for name, lines in found.items() if lines}


def _section(text: str, title: str) -> Iterator[str]:
    lines = text.splitlines()
    is_inside = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch("-{3,}", below):
            is_inside = line == title
        elif is_inside and not re.fullmatch("-{3,}", line):
            yield line


def _plain(text: str) -> str:
    text = re.sub(r":math:`([^`]*)`", lambda found: _spoken(found[1]), text)
    text = re.sub(r":\w+:`([^`]*)`", r"\1", text)  # other roles, such as :class:`UCB1`
    return re.sub(r"`+([^`]*)`+", r"\1", text).replace("**", "")


def _spoken(formula: str) -> str:
    r"""Return a short formula without its LaTeX.

    Examples
    --------
    >>> _spoken(r"\mu(-\varepsilon) \le \text{root} / \sqrt t"), _spoken(r"\log_2 \sqrt{a b}")
    ('mu(-epsilon) <= root / sqrt(t)', 'log_2 sqrt(a b)')
    """
    formula = re.sub(r"\\(?:text|mathrm|mathbf)\{([^}]*)\}", r"\1", formula)
    formula = re.sub(r"\\sqrt(?:\{([^}]*)\}| *(\w))", r"sqrt(\1\2)", formula)
    formula = re.sub(r"\\le\b", "<=", re.sub(r"\\ge\b", ">=", formula))
    formula = re.sub(r"\\(?:var)?([A-Za-z]+)", r"\1", formula)  # letters and functions
    return re.sub(r"\\(\W)", r"\1", formula)  # spaces, braces, bars
