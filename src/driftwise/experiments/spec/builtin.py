"""The experiments that come with the package, and files of one's own: found by name or by path."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ...core.base.validation import require_known
from .experiment import Experiment
from .reading import parse_experiment, read_experiment

__all__ = ["builtin_names", "find_experiment", "text_of"]

_SUFFIX = ".toml"
_FOLDER = resources.files("driftwise.experiments").joinpath("builtin")


def builtin_names() -> list[str]:
    """Return the names of the experiments that come with the package.

    Examples
    --------
    >>> builtin_names()[:2]
    ['ads', 'assumption-one']
    """
    files = (entry.name for entry in _FOLDER.iterdir() if entry.name.endswith(_SUFFIX))
    return sorted(name.removesuffix(_SUFFIX) for name in files)


def text_of(name: str) -> str:
    """Return the file of a built-in experiment: the best start for one's own."""
    require_known("experiment", name, builtin_names())
    return _FOLDER.joinpath(name + _SUFFIX).read_text("utf-8")


def find_experiment(name: str, *, quick: bool = False) -> Experiment:
    """Return a built-in experiment by its name, or one's own by the path of its file."""
    path = Path(name)
    if path.suffix == _SUFFIX or path.is_file():
        if not path.is_file():
            raise OSError(f"experiment must be a file that exists, got {name}")
        return read_experiment(path, quick=quick)
    return parse_experiment(text_of(name), name, quick=quick)
