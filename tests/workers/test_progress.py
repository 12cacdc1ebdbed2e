from __future__ import annotations

import io
import re
import sys

import pytest

from driftwise.core.base.waiting import Waiting
from driftwise.workers.progress import Lines, show_progress
from driftwise.workers.progress_bar import Bar


def test_lines_come_every_tenth() -> None:
    stream = io.StringIO()
    with Lines(total=200, stream=stream) as progress:
        progress.say("Playing")
        for _ in range(200):
            progress.advance(1)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "Playing"
    assert [line.split("%")[0] for line in lines[1:]] == [str(10 * i) for i in range(1, 11)]
    assert re.fullmatch(r"100% done, [0-9.]+ million rounds/s, about 0 s left", lines[-1])


def test_a_large_step_is_one_line() -> None:
    stream = io.StringIO()
    with Lines(total=10, stream=stream) as progress:
        progress.advance(7)
        progress.advance(3)
    assert [line.split("%")[0] for line in stream.getvalue().splitlines()] == ["70", "100"]


def test_a_log_that_is_full_costs_no_work() -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    with Lines(total=10, stream=Full()) as progress:
        progress.say("Playing")
        progress.advance(10)


def test_nowhere_to_show_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with show_progress(10, quiet=False) as progress:
        progress.advance(10)


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(10, quiet=True) as progress:
        progress.say("Playing")
        progress.advance(10)
    assert capsys.readouterr() == ("", "")


def test_nothing_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(10, quiet=False) as progress:
        progress.advance(10)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100% done" in err


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress(10, quiet=False) as progress:
        assert isinstance(progress, Bar)
        progress.say("Playing")
        progress.advance(10)


def test_a_notebook_gets_a_bar_without_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    with show_progress(10, quiet=False) as progress:
        assert isinstance(progress, Waiting)


def test_rounds_that_need_not_be_played_are_left_out() -> None:
    stream = io.StringIO()
    with Lines(total=100, stream=stream) as progress:
        progress.skip(90)
        progress.advance(5)
    assert stream.getvalue().startswith("50% done")
