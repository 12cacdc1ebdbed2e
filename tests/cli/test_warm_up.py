"""`driftwise warm-up`: what is compiled ahead is found later."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from driftwise.experiments.setup.warming import _pairs, is_compiled
from driftwise.registry import all_policies

FIRST = """
import driftwise as dw
from driftwise.core.engine import calls, simulate
agents = [dw.Agent(dw.Uniform(), n_arms=2), dw.Agent(dw.Uniform(), n_arms=5), dw.Agent(dw.Uniform(), dimension=2)]
for agent, offer in zip(agents, (None, None, [[1.0, 2.0]])):
    agent.learn(agent.choose(offer), 1.0)
    assert agent._calls._choose is not None
dw.simulate(dw.Uniform(), dw.worlds.Sinusoid(horizon=20))
dw.simulate(dw.Uniform(), dw.worlds.FreshSets(horizon=20))
misses = [sum(each.stats.cache_misses.values()) for each in (calls.choose, calls.learn, simulate.loop)]
print(misses)
"""


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    said = subprocess.run(
        [sys.executable, "-m", "driftwise", "warm-up", "Uniform"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout == f"compiled Uniform into {tmp_path / 'cache'}\n"
    health = subprocess.run(
        [sys.executable, "-m", "driftwise", "doctor", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(health.stdout)["cache"]["compiled"] == ["Uniform"]
    later = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, check=True
    )
    assert later.stdout == "[0, 0, 0]\n"


@pytest.mark.parametrize("name", all_policies())
def test_every_policy_is_known_well_enough_to_be_compiled(name: str) -> None:
    """That it is asked whether it is compiled means that it was made, in worlds of all kinds."""
    assert list(_pairs(name))
    assert is_compiled(name) in (True, False)
