"""docs/clicks-measured.md is what its command writes, with the outcome that the policy has now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

import driftwise as dw
from benchmarks import contextual_clicks

PAGE = contextual_clicks.PAGE.read_text("utf-8")


def test_the_page_names_its_command() -> None:
    (command,) = re.findall(r"`python -m (\S+)`", PAGE)
    assert command == contextual_clicks.__name__


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("shape", [contextual_clicks.SHAPES[0], contextual_clicks.SHAPES[-1]])
def test_the_page_has_the_regret_of_today(shape: str) -> None:
    rates, moves = ".5 to 5 %", "2 jumps"
    (row,) = re.findall(rf"\| {shape} \| {rates} \| {moves} \| (.*) \|", PAGE)
    worlds = [
        (contextual_clicks.world_of(shape, rates, moves, seed), seed)
        for seed in contextual_clicks.SEEDS
    ]
    regrets = [dw.simulate(dw.AdaptiveUCB(), world, seed=s).total_regret for world, s in worlds]
    assert row.split(" | ")[1] == f"{sum(regrets) / len(regrets):,.0f}"
