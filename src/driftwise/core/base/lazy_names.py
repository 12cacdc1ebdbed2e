"""Names of a package that are loaded on first use, and the error about one that it does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lazy_loader

from .nearest import hint_of

__all__ = ["attach", "no_such_name"]


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, by the stub beside its file."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def loaded(name: str) -> Any:
        if name in names:
            return load(name)
        raise no_such_name(package, name, names)

    return loaded, listed, names


def no_such_name(package: str, name: str, names: list[str]) -> AttributeError:
    """Return an error with the name that was probably meant: not every program shows Python's guess."""
    hint = "" if name.startswith("_") else hint_of(name, names)  # programs ask for those
    # With the name and without the package, or Python would add the same guess.
    return AttributeError(f"{package} has no attribute {name!r}{hint}", name=name)
