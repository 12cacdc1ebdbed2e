"""One list of all policies and all worlds: it feeds tables, command line, docs and checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from . import plugins, policies, worlds
from .core.base.card import Card, summary_of
from .core.base.validation import require_known
from .plugins import Found

__all__ = [
    "all_policies",
    "all_worlds",
    "broken_plugins",
    "find_policy",
    "find_world",
    "including",
    "row_of",
]

# What is said of a class that says nothing itself.
_NO_CARD = Card(source="not stated", knows="not stated", guarantee="not stated")

_included = Found({}, {})  # from modules that a person named; see `including`


def all_policies() -> dict[str, type[Any]]:
    """Return every policy by its name: the package's own, then those from outside."""
    return own().policies | _announced()[0].policies | _included.policies


def all_worlds() -> dict[str, type[Any]]:
    """Return every world by its name: the package's own, then those from outside."""
    return own().worlds | _announced()[0].worlds | _included.worlds


def find_policy(name: str) -> type[Any]:
    """Return the policy of that name, or say which name is nearest."""
    return _find("policy", name, policies, _included.policies, all_policies)


def find_world(name: str) -> type[Any]:
    """Return the world of that name, or say which name is nearest."""
    return _find("world", name, worlds, _included.worlds, all_worlds)


@contextmanager
def including(modules: Iterable[str]) -> Iterator[None]:
    """Let the policies and worlds of some modules count, for as long as the context lasts.

    Parameters
    ----------
    modules
        Dotted names, importable from the current folder, or paths of ``.py`` files. What they
        define takes the place of an installed plug-in of the same name: of one's own module the
        version at hand is meant.

    Raises
    ------
    ValueError
        If a module cannot be imported, has neither a policy nor a world, or one whose name is
        taken.
    """
    global _included
    before, found = _included, Found(dict(_included.policies), dict(_included.worlds))
    for name in modules:
        own()  # before theirs: of two classes that clash, the compiler refuses the later one
        new = plugins.classes_in(plugins.load(name))
        if not any(new):
            raise ValueError(f"from must name a module with a policy or a world, got {name!r}")
        _add(found, new, name)
    _included = found
    try:
        yield
    finally:
        _included = before


def broken_plugins() -> list[str]:
    """Return a sentence for each installed plug-in that was tried and left out."""
    return _announced()[1] if _announced.cache_info().currsize else []


def row_of(cls: type[Any]) -> dict[str, str]:
    """Return what a table says about a policy or a world; a class without a card says little."""
    card = getattr(cls, "card", None)
    shown: Card = card if isinstance(card, Card) else _NO_CARD
    row = {"name": cls.__name__, "summary": summary_of(cls), **shown._asdict()}
    # A card that is inherited from a base class has no source.
    return row | {"source": row["source"] or _NO_CARD.source}


@cache
def own() -> Found:
    """Return what the package itself has."""
    return Found(_listed(policies), _listed(worlds))


@cache
def _announced() -> tuple[Found, list[str]]:
    """Return what plug-ins announce; they are loaded when somebody first asks for a name."""
    own()  # before theirs, as in `including`
    found, errors = plugins.announced()
    kept = Found({}, {})
    for ours, theirs, into in zip(own(), found, kept, strict=True):
        for name, cls in theirs.items():
            if name in ours:
                errors.append(f"the plug-in {name} is left out ({_taken(name, cls)})")
            else:
                into[name] = cls
    return kept, errors


def _add(found: Found, new: Found, module: str) -> None:
    for ours, known, more in zip(own(), found, new, strict=True):
        for name, cls in more.items():
            if name in ours or known.get(name, cls) is not cls:
                raise ValueError(f"from must not name a module with {_taken(name, cls)}")
            known[name] = cls


def _taken(name: str, cls: type[Any]) -> str:
    owner = (
        "driftwise itself has" if name in own().policies | own().worlds else "another module has"
    )
    return f"a class {name}, as {owner}, got {cls.__module__}.{cls.__qualname__}"


def _find(
    what: str,
    name: str,
    package: ModuleType,
    included: Mapping[str, type[Any]],
    everything: Callable[[], Mapping[str, type[Any]]],
) -> type[Any]:
    if name in package.__all__ and _is_listed(getattr(package, name)):  # the others stay unloaded
        return getattr(package, name)  # type: ignore[no-any-return]  # a class
    if name in included:  # no reason to load plug-ins
        return included[name]
    known = everything()
    try:
        return known[require_known(what, name, known)]
    except ValueError as error:
        for sentence in broken_plugins():
            error.add_note(sentence)
        raise


def _listed(package: ModuleType) -> dict[str, type[Any]]:
    found = {name: getattr(package, name) for name in package.__all__}
    return {name: cls for name, cls in found.items() if _is_listed(cls)}


def _is_listed(cls: type[Any]) -> bool:
    return isinstance(getattr(cls, "card", None), Card) and not inspect.isabstract(cls)
