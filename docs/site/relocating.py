"""Pages that are read in the repository, too, moved to their place on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from .markdown import with_powers

__all__ = ["MOVES", "place_of", "relocated", "relocated_tree"]

# Pages at the root of the repository, and where they lie on the site; those of docs/ keep their path.
MOVES = {
    "ARCHITECTURE.md": "inside/architecture.md",
    "BENCHMARKS.md": "inside/benchmarks.md",
    "CHANGELOG.md": "inside/changes.md",
    "CONTRIBUTING.md": "inside/contributing.md",
    "README.md": "index.md",
}
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
_PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<words>[^"]*)" src="(?P<light>[^"]+)"[^>]*>\s*</picture>'
)
_ENDINGS = {".md", ".svg", ".png", ".json"}


def relocated_tree(root: Path) -> dict[str, bytes]:
    """Return every page of the repository, and every file that one links to, by place on the site."""
    pages = [root / name for name in MOVES if name != "README.md"]
    pages += [path for path in sorted((root / "docs").rglob("*")) if path.suffix in _ENDINGS]
    files = dict[str, bytes]()
    for path in pages:
        name = path.relative_to(root).as_posix()
        if path.suffix != ".md":
            files[place_of(name)] = path.read_bytes()
            continue
        linked = set[str]()
        files[place_of(name)] = relocated(path.read_text("utf-8"), name, linked.add).encode()
        files |= _copied(root, linked)
    return files


def place_of(name: str) -> str:
    """Return where a file of the repository lies on the site.

    Examples
    --------
    >>> place_of("docs/logs.md"), place_of("CHANGELOG.md"), place_of("examples/my_world.py")
    ('logs.md', 'inside/changes.md', 'files/examples/my_world.py')
    """
    if name in MOVES:
        return MOVES[name]
    return name.removeprefix("docs/") if name.startswith("docs/") else f"files/{name}"


def relocated(text: str, name: str, note: Callable[[str], object] = str) -> str:
    """Return a page with its links as they must be on the site.

    Parameters
    ----------
    text
        The page, in Markdown.
    name
        Its path in the repository.
    note
        Is called with the path of every file of the repository that the page links to.

    Examples
    --------
    >>> relocated("[changes](CHANGELOG.md), [logs](docs/logs.md#fields)", "CONTRIBUTING.md")
    '[changes](changes.md), [logs](../logs.md#fields)'
    """
    here = posixpath.dirname(place_of(name))

    def moved(link: re.Match[str]) -> str:
        before, target, after = link.groups()
        if ":" in target:
            return link[0]
        source = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        note(source)
        return f"{before}{posixpath.relpath(place_of(source), here or '.')}{after}"

    # The empty line that ends a doctest in a file would be drawn.
    text = _LINK.sub(moved, text).replace("\n\n```\n", "\n```\n")
    return with_powers(_PICTURE.sub(_both_pictures, text))


def _both_pictures(found: re.Match[str]) -> str:
    """Return a picture for light and one for dark pages, as the theme shows either of them."""
    return "\n\n".join(
        f"```{{figure}} {found[kind]}\n:class: only-{kind}\n:figclass: only-{kind}\n:alt: {found['words']}\n```"
        for kind in ("light", "dark")
    )


def _copied(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    found = {name: root / name for name in names if place_of(name).startswith("files/")}
    return {place_of(name): path.read_bytes() for name, path in found.items() if path.is_file()}
