"""docs/clicks-measured.md names its command, has all its worlds, and says what the command prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import contextual_clicks

PAGE = contextual_clicks.PAGE.read_text("utf-8")


def test_the_page_names_its_command() -> None:
    (command,) = re.findall(r"`python -m (\S+)`", PAGE)
    assert command == contextual_clicks.__name__


def test_every_world_has_its_row() -> None:
    for shape in contextual_clicks.SHAPES:
        for rates in contextual_clicks.RATES:
            for moves in contextual_clicks.MOVES:
                assert f"| {shape} | {rates} | {moves} |" in PAGE


def test_a_row_is_what_the_command_prints() -> None:
    """The quickest one; the others take minutes."""
    row, _, _ = contextual_clicks.row_of(
        contextual_clicks.SHAPES[0], next(iter(contextual_clicks.RATES)), "2 jumps"
    )
    assert row in PAGE.splitlines()
