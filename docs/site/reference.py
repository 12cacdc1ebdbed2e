"""Pages for every public name, from its docstring."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from typing import Any

import driftwise
from driftwise import registry

from .markdown import plain, table

__all__ = ["MODULES", "is_skipped", "reference_pages"]

_WITHOUT_PAGE = {"core", "policies"}  # what is inside, and what has pages of its own
_LONGEST = 80  # characters of a constant that are shown
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
    for public in module.__all__:
        value = getattr(module, public)
        full = f"{name}.{public}"
        if inspect.ismodule(value) or _has_page(value):
            continue
        if id(value) in known:
            lines += [f"`{full}` is described above or on another page: {{py:obj}}`{public}`.", ""]
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
    shown = repr(value) if len(repr(value)) <= _LONGEST else f"a {type(value).__name__}"
    return [f".. py:data:: {name}", "", f"   ``{shown}``"]


def _has_page(value: Any) -> bool:
    own = registry.own()
    return value in own.policies.values() or value in own.worlds.values()


def _about(name: str) -> str:
    """Return the first sentence of a module's docstring."""
    module = importlib.import_module(name)
    return (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")
