"""A page played as a reader would: its files written, its commands run, its code executed and compared."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["PageError", "PlayedPage", "play_page"]

_PARTS = re.compile(
    r"(?:^`(?P<file>[\w.-]+\.(?:csv|jsonl?|py|toml|txt))`[^\n]*:\n\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$"
    r"|^    (?P<command>driftwise [^\n]*)$"
    r"|^!\[[^\]]*\]\((?P<picture>generated/[\w.-]+)\)$",
    re.M | re.S,
)
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class PageError(AssertionError):
    """What a page says is not so."""


class PlayedPage(NamedTuple):
    """What came of a page."""

    n_examples: int  # lines of code that were executed
    n_commands: int
    pictures: dict[str, bytes]  # by the name that the page gives them


def play_page(path: Path, folder: Path, *, has_commands: bool = True) -> PlayedPage:
    """Play one page; raise `PageError` where it is wrong.

    A fence that follows a line such as "`mine.toml`:" is written to that file. Lines that are indented
    by four and begin with ``driftwise`` are commands. Python with prompts is a doctest. A figure that
    it leaves open is saved to the picture that stands next: ``![words](generated/name.svg)``.

    Parameters
    ----------
    path
        The page, in Markdown.
    folder
        Where files are written and commands run.
    has_commands
        Whether commands are run, too.
    """
    _figures(are_closed=True)  # of whatever ran before in this process
    text, names = path.read_text("utf-8"), dict[str, Any]()
    n_examples, n_commands, pictures = 0, 0, dict[str, bytes]()
    with contextlib.chdir(folder):
        for part in _PARTS.finditer(text):
            line = text.count("\n", 0, part.start()) + 1
            if part["picture"]:
                pictures[part["picture"]] = _open_figure(path, line)
            elif part["command"]:
                if has_commands:
                    _run_command(part["command"], path, line)
                    n_commands += 1
            elif part["file"]:
                Path(part["file"]).write_text(part["body"], "utf-8")
            elif part["kind"] == "python" and ">>>" in part["body"]:
                n_examples += _run_code(part["body"], names, path, line)
    if _figures(are_closed=True):
        raise PageError(f"{path.name}: a figure is left open that no picture shows")
    return PlayedPage(n_examples, n_commands, pictures)


def _run_code(source: str, names: dict[str, Any], path: Path, line: int) -> int:
    # A copy shares no names with the page, so these are handed back after the examples ran.
    test = doctest.DocTestParser().get_doctest(source, names, path.name, str(path), line)
    said = io.StringIO()
    result = doctest.DocTestRunner(optionflags=_OPTIONS).run(
        test, out=said.write, clear_globs=False
    )
    names |= test.globs
    if result.failed:
        raise PageError(said.getvalue())
    return result.attempted


def _run_command(command: str, path: Path, line: int) -> None:
    from driftwise.cli import run

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = run(shlex.split(command)[1:])
    if status:
        raise PageError(f"{path.name}, line {line}: {command} fails:\n{said.getvalue()}")


def _open_figure(path: Path, line: int) -> bytes:
    """Return the figure that is open as SVG, the same bytes for the same figure, and close it."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    if len(_figures()) != 1:
        raise PageError(f"{path.name}, line {line}: no figure, or more than one, is open")
    file = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "driftwise"}):
        plt.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close()
    return file.getvalue()


def _figures(*, are_closed: bool = False) -> list[int]:
    import matplotlib as mpl

    mpl.use("svg", force=True)  # needs no screen
    from matplotlib import pyplot as plt

    numbers = plt.get_fignums()
    if are_closed:
        plt.close("all")
    return numbers
