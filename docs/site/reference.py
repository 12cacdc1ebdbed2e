"""Pages for every public name, from its docstring."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import driftwise
from driftwise import registry

from .markdown import plain, table

__all__ = ["MODULES", "is_skipped", "link_pages", "reference_pages"]

_WITHOUT_PAGE = {"core", "policies"}  # what is inside, and what has pages of its own
_PLAIN = (int, str, tuple)  # constants whose value is shown
_PAGE = re.compile(r"docs/([\w-]+)\.md")
_ELSEWHERE = (
    "[Policies](../policies/index.md) and [worlds](../worlds/index.md) have pages of their own."
)
MODULES = (
    "driftwise",
    *(
        f"driftwise.{name}"
        for name in sorted(set(driftwise.__all__) - _WITHOUT_PAGE)
        if inspect.ismodule(getattr(driftwise, name))
    ),
    "driftwise.service",  # which needs packages of its own, and so is not a name of the package
)


def reference_pages() -> dict[str, str]:
    """Return a page for each public module, and one that lists them."""
    known = set[int]()  # an object is described once, where it comes first
    pages = {
        f"reference/{name.rpartition('.')[2]}.md": _module_page(name, known) for name in MODULES
    }
    return pages | {"reference/index.md": _index_page(pages)}


def is_skipped(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool:
    """Tell Sphinx to leave out fields of named tuples, whose docstring is "Alias for field 0"."""
    return skip or type(member).__name__ == "_tuplegetter"


def link_pages(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Let the pages that docstrings name, such as docs/scoreboard.md, be links."""
    lines[:] = [_PAGE.sub(r":doc:`\g<0> </\1>`", line) for line in lines]


def _index_page(pages: Iterable[str]) -> str:
    rows = [(f"[`{name}`]({name.rpartition('.')[2]}.md)", plain(_about(name))) for name in MODULES]
    names = "\n".join(name.removeprefix("reference/").removesuffix(".md") for name in pages)
    return (
        "# Every public name\n\nWhat is listed here is public; what is not may change without notice."
        " Policies are on [pages of their own](../policies/index.md), and so are\n"
        "[worlds](../worlds/index.md).\n\n"
        f"{table(('module', 'for'), rows)}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def _module_page(name: str, known: set[int]) -> str:
    module = importlib.import_module(name)
    lines = [f"# `{name}`", "", plain(_about(name)), ""]
    if any(_has_page(getattr(module, public)) for public in module.__all__):
        lines += [_ELSEWHERE, ""]
    for public in module.__all__:
        value = getattr(module, public)
        full = f"{name}.{public}"
        if inspect.ismodule(value) or _has_page(value):
            continue
        if id(value) in known:
            lines += [f"`{full}` is the same as {{py:obj}}`{public}`.", ""]
            continue
        known.add(id(value))
        lines += ["```{eval-rst}", *_directive(full, value), "```", ""]
    return "\n".join(lines)


def _directive(name: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:"]
    if inspect.isroutine(value):
        return [f".. autofunction:: {name}"]
    # A constant, or an alias of a type: its own docstring is that of a class of Python's or NumPy's.
    shown = [f"   :value: {value!r}"] if isinstance(value, _PLAIN) else []
    return [f".. py:data:: {name}", *shown, "", f"   {_comment_on(name.rpartition('.')[2])}"]


def _comment_on(constant: str) -> str:
    """Return what the source says of a constant: beside it, or in the lines above."""
    line = rf"((?:^# .*\n)*)^{constant}(?:: .+?)? = .*?(?:  # (.+))?$"
    for source in _sources():
        if f'"{constant}"' in source and (found := re.search(line, source, re.MULTILINE)):
            said = found[2] or " ".join(found[1].replace("# ", "").split())
            return f"{said[:1].upper()}{said[1:].removesuffix('.')}."
    raise ValueError(f"no module defines {constant}")


@cache
def _sources() -> list[str]:
    package = Path(inspect.getfile(driftwise)).parent
    return [path.read_text("utf-8") for path in sorted(package.rglob("*.py"))]


def _has_page(value: Any) -> bool:
    own = registry.own()
    return value in own.policies.values() or value in own.worlds.values()


def _about(name: str) -> str:
    """Return the first sentence of a module's docstring."""
    module = importlib.import_module(name)
    return (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")
