"""One call of the command line, from its arguments to its exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from typer.main import get_command

from .app import app
from .errors import InputError, Misuse, sentence_of

__all__ = ["run"]

# What the system says of a stream, or of a disk, that takes no more: nobody's bug.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; bugs propagate.

    0; 1 if what was printed could not be written; 2 after bad input; 130 after Ctrl-C.

    Parameters
    ----------
    arguments
        What follows the word ``driftwise``; taken from the process by default.
    """
    _prepare_terminal()
    try:
        words = None if arguments is None else list(arguments)
        code = get_command(app).main(words, prog_name="driftwise", standalone_mode=False)
        sys.stdout.flush()
    except (InputError, Misuse) as error:
        return _refuse(sentence_of(error), 2)
    except MemoryError:
        return _refuse("this needs more memory than there is", 2)
    except BrokenPipeError:
        # Whoever read this, such as `head`, has seen enough.
        _discard(sys.stdout)
        return 1
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _discard(sys.stdout)
        return _refuse(f"what was printed could not be written: {error.strerror}", 1)
    finally:
        try:
            sys.stderr.flush()
        except OSError:
            _discard(sys.stderr)
    return code if isinstance(code, int) else 0


def _prepare_terminal() -> None:
    """Cope with closed streams, characters that cannot be shown and widths of zero."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed; the next file must not get its number
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (for good)
        stream = getattr(sys, name)
        # A name or a bar that the terminal cannot show must not end in a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    for name in ("COLUMNS", "LINES"):
        if not _is_size(os.environ.get(name, "1")):
            del os.environ[name]  # Rich would believe it


def _is_size(text: str) -> bool:
    try:
        return int(text) > 0
    except ValueError:
        return False


def _refuse(sentence: str, code: int) -> int:
    try:
        print(f"Error: {sentence}", file=sys.stderr)
    except OSError:
        _discard(sys.stderr)
    return code


def _discard(stream: TextIO) -> None:
    """Send what is left to nowhere, or Python would try again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
