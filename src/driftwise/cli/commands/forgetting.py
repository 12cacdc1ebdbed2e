"""`driftwise forgetting`: whether forgetting pays on a log."""

from __future__ import annotations

from typing import Annotated

from ..app import app
from ..errors import input_errors
from ..options import AsJson, a_number, an_integer
from .evaluate import Encoding, Page, Wait
from .log import Actions, Columns, Context, Form, LogFile

__all__ = ["forgetting"]


@app.command()
def forgetting(
    file: LogFile,
    encoder: Encoding = None,
    wait: Wait = None,
    window: Annotated[int, an_integer("N", "How many events gains over time average.")] = 500,
    cycle: Annotated[
        float | None,
        a_number(
            "TIME", "A natural cycle, such as a day, in units of the log's time, or in events."
        ),
    ] = None,
    form: Form = None,
    column: Columns = None,
    context: Context = None,
    actions: Actions = None,
    out: Page = None,
    as_json: AsJson = False,
) -> None:
    """Say whether forgetting pays on a log.

    For forecasts, for contrasts between actions and for decisions: forecasts may gain from drift that no decision needs; the decision gain is in units of reward.
    """
    from ... import evaluation
    from ...core.base.files import write
    from ...evaluation.report import forgetting_page
    from ..evaluating import command_line, encoder_from, require_page
    from ..logbook import read
    from ..output import answer

    with input_errors():
        target = require_page(out)
        events = read(file, form, column, context, actions)
        found = evaluation.forgetting(
            events, encoder=encoder_from(encoder), wait=wait, window=window, cycle=cycle
        )
        if target is not None:
            sound = events.soundness(wait=wait)
            page = forgetting_page(found, sound, file=file.name, command=command_line())
            write(target, page.encode())
    answer(found, as_json)
