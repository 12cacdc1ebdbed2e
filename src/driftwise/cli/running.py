"""One call of the command line, from its arguments to its exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from typer.main import get_command

from .app import app
from .complaints import InputError, Misuse, sentence_of

__all__ = ["run"]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return 0, 2 after bad input or 130 after Ctrl-C; bugs propagate.

    Parameters
    ----------
    arguments
        What follows the word ``driftwise``; taken from the process if left out.
    """
    for stream in (sys.stdout, sys.stderr):
        # A name or a bar that the terminal cannot show must not end in a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        words = None if arguments is None else list(arguments)
        code = get_command(app).main(words, prog_name="driftwise", standalone_mode=False)
        sys.stdout.flush()
    except (InputError, Misuse) as error:
        print(f"Error: {sentence_of(error)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read this, such as `head`, has seen enough; Python must not try again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code if isinstance(code, int) else 0
