"""Numbers as people write and read them."""

from __future__ import annotations

import pytest

from driftwise.cli.output import plain_number, show, table, table_with_bars
from driftwise.cli.values import integer


@pytest.mark.parametrize("text", ["30000", "30_000", "3e4", "+30000"])
def test_integers_as_people_write_them(text: str) -> None:
    assert integer(text) == 30_000


@pytest.mark.parametrize(
    ("value", "text"),
    [(1_234_567, "1,234,567"), (1e300, "1e+300"), (0.0, "0"), (999.96, "1000"), (-2.5, "-2.5")],
)
def test_numbers_as_people_read_them(value: float, text: str) -> None:
    assert plain_number(value) == text


@pytest.mark.parametrize("width", [20, 40, 200])
def test_bars_take_the_room_that_is_left(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = table_with_bars([">n", "word"], [["1", "one"], ["2", "two"]], [1.0, 2.0])
    bars = [len(str(cell)) for cell in lines.columns[-1].cells]
    assert bars[1] == max(0, min(30, width - 2 - (1 + 3) - (4 + 3)))
    assert bars[0] == round(bars[1] / 2)


@pytest.mark.parametrize(("width", "needed"), [(20, 52), (55, 55), (99, 71)])
def test_tables_break_neither_words_nor_numbers(
    width: int, needed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = table("policy", ">regret", ">over the best fixed window")
    lines.add_row("BanditOverBandit", "187.6 ± 37.4", "2.20 ± 0.05")
    lines.add_row("window and no variation", "1,187.6 ± 137.4", "12.20 ± 10.05")
    show(lines)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= needed
    for piece in ("BanditOverBandit", "variation", "window", "1,187.6 ± 137.4", "12.20 ± 10.05"):
        assert piece in out
