"""Tables and curves as text and as HTML."""

import io
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.core.base.showing import html_of, settings_text, sparkline, sparkline_svg, text_of


@given(
    title=st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S"))),
    fact=st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S"))),
)
def test_html_shows_any_text_as_it_is(title: str, fact: str) -> None:
    root = ElementTree.fromstring(html_of(title, [("fact", fact)], ["column"], [[fact]]))
    assert root.findtext("b") == title
    assert [cell.text or "" for cell in root.iter("td")] == [fact, fact]


def test_columns_of_a_text_stand_below_each_other() -> None:
    lines = text_of("Title", [("a", "1"), ("long", "2")], ["x", "yy"], [["100", "2"]]).splitlines()
    assert lines == ["Title", "  a     1", "  long  2", "    x  yy", "  100   2"]


@given(steps=st.lists(st.floats(0.0, 1e6), min_size=1, max_size=300), width=st.integers(1, 40))
def test_a_curve_that_grows_never_falls(steps: list[float], width: int) -> None:
    line = sparkline(np.cumsum(steps).tolist(), width)
    assert 1 <= len(line) <= width
    assert list(line) == sorted(line)
    if sum(steps) > 0.0:
        assert line[-1] == "█"


def test_a_terminal_without_blocks_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    assert sparkline([1.0, 2.0]) == ""


@pytest.mark.parametrize("regret", [[0.0, 0.0], [1.0, 5.0], list(range(1000))])
def test_the_picture_begins_in_one_corner_and_ends_at_the_right(regret: list[float]) -> None:
    rounds = list(range(1, len(regret) + 1))
    (line,) = ElementTree.fromstring(sparkline_svg(rounds, regret))
    points = [tuple(map(float, each.split(","))) for each in line.attrib["points"].split()]
    heights = [y for _, y in points]
    assert points[-1][0] == 160.0
    assert heights == sorted(heights, reverse=True)
    assert all(0.0 <= x <= 160.0 and 0.0 <= y <= 34.0 for x, y in points)


def test_only_settings_that_were_given_are_shown() -> None:
    assert settings_text(dw.AdaptiveUCB()) == "AdaptiveUCB()"
    assert settings_text(dw.AdaptiveUCB(width=1.0)) == "AdaptiveUCB(width=1.0)"
    text = settings_text(dw.BanditOverBandit.tuned(horizon=1000, dimension=2, noise=0.1))
    assert text.startswith("BanditOverBandit(base=SlidingWindowUCB(window=50, noise=0.1")
    assert "ridge" not in text
