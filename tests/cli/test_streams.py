"""Streams that are closed or full, and widths that mean nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from driftwise.cli import run

FULL = "Error: what was printed could not be written: No space left on device\n"
needs_full = pytest.mark.skipif(
    not Path("/dev/full").is_char_device(), reason="only Linux has a device that is always full"
)


def call(shell: Any, redirection: str, *words: str) -> Any:
    """Call the command line with a redirection as a shell writes it: only a shell can close one."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m driftwise "$@" {redirection}', sys.executable, *words],
        capture_output=True,
        encoding="utf-8",
        env=shell.environment(),
        timeout=240,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["windows"], ["windows", "--json"]])
def test_a_closed_output_is_taken_for_none(shell: Any, words: list[str]) -> None:
    assert call(shell, ">&-", *words) == (0, "", "")


def test_closed_errors_do_not_get_into_the_output(shell: Any, tmp_path: Path) -> None:
    assert call(shell, "2>&-", "windws") == (2, "", "")
    assert call(shell, ">&- 2>&- <&-", "windows") == (0, "", "")
    small = ["simulate", "--horizon", "100", "--replications", "2"]
    code, out, _ = call(shell, "2>&-", *small)
    assert code == 0
    assert "100 rounds, 2 replications" in out


@needs_full
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["windows"], ["windows", "--json"]])
def test_a_full_output_gets_one_sentence(shell: Any, words: list[str]) -> None:
    assert call(shell, ">/dev/full", *words) == (1, "", FULL)


@needs_full
def test_errors_that_cannot_be_written_change_no_exit_code(shell: Any) -> None:
    assert call(shell, "2>/dev/full", "windws") == (2, "", "")
    assert call(shell, ">/dev/full 2>/dev/full", "windows") == (1, "", "")


@needs_full
def test_a_full_log_costs_no_work(shell: Any, tmp_path: Path) -> None:
    text = 'horizons = [50]\n[[worlds]]\nname = "Sinusoid"\n[[policies]]\nname = "Uniform"\n'
    path = tmp_path / "mine.toml"
    path.write_text(text)
    words = ["run", str(path), "--replications", "2", "--out", str(tmp_path / "out"), "--jobs", "1"]
    code, out, _ = call(shell, "2>/dev/full", *words)
    assert code == 0
    assert "Uniform" in out


@pytest.mark.parametrize("width", ["0", "-5", "²", "wide", "", "9" * 5000])
def test_a_width_that_means_nothing_is_not_believed(
    width: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert run(["windows"]) == 0
    normal = capsys.readouterr().out
    for name in ("COLUMNS", "LINES"):
        monkeypatch.setenv(name, width)
    assert run(["windows"]) == 0
    assert capsys.readouterr().out == normal


def test_too_little_memory_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from driftwise.cli.views import recommendation

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(recommendation, "print_recommendation", fail)
    assert run(["windows"]) == 2
    assert capsys.readouterr().err == "Error: this needs more memory than there is\n"
