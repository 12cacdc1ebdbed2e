"""Delays in experiment files: the law, the world that has it, and what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from driftwise import delays, simulate
from driftwise.experiments import ExperimentError, parse_experiment
from driftwise.experiments.execution.cells import list_cells, task_of
from driftwise.experiments.setup.building import Builder
from driftwise.experiments.setup.lateness import LAWS, delay_of

FILE = """
horizons = [300]
[[worlds]]
name = "Sinusoid"
delay = {delay}
[[policies]]
name = "UCB1"
"""


def builder_of(delay: str) -> Builder:
    return Builder(parse_experiment(FILE.format(delay=delay), "late"))


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("7", delays.Constant(7)),
        ('"7"', delays.Constant(7)),
        ('"geometric:20"', delays.Geometric(20)),
        ('"Heavy-Tailed:9:1.5"', delays.HeavyTailed(9, 1.5)),
        ('"batches:50"', delays.Batches(50)),
        (
            '"missing:0.5:batches:50:geometric:3"',
            delays.Missing(0.5, delays.Batches(50, delays.Geometric(3))),
        ),
        ('{ name = "Geometric", mean = 20 }', delays.Geometric(20)),
        ('{ name = "Batches", period = 50, delay = 3 }', delays.Batches(50, 3)),
        (
            '{ name = "Missing", probability = 0.5, delay = { name = "HeavyTailed", median = 9 } }',
            delays.Missing(0.5, delays.HeavyTailed(9)),
        ),
    ],
)
def test_a_world_has_the_delay_of_the_file(text: str, delay: Any) -> None:
    builder = builder_of(text)
    world = builder.world("Sinusoid", 300)
    assert world.delay == delay
    policy = builder.policy("UCB1", "Sinusoid", 300)
    plain = builder_of("0").world("Sinusoid", 300)
    late = simulate(policy, world, seed=2)
    assert late.total_regret == simulate(policy, plain, seed=2, delay=delay).total_regret


def test_every_law_has_a_name() -> None:
    assert set(LAWS) == set(delays.__all__) - {"NEVER", "Delay"}
    assert delay_of({"name": "Recorded", "rounds": [1, 2]}).draw is not None


def test_another_delay_is_another_cell() -> None:
    def key(delay: str) -> str:
        builder = builder_of(delay)
        task = task_of(next(iter(list_cells(builder))), builder)
        return task.key(builder.settings("Sinusoid", 300), "")

    assert key("7") == key("7")
    assert key("7") != key("8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-1", "must be at least 0"),
        ('{ name = "Geometrik", mean = 3 }', "did you mean 'Geometric'"),
        ('{ name = "Geometric", meen = 3 }', "did you mean 'mean'"),
        ('{ name = "Geometric" }', "mean"),
        ('{ name = "Missing", probability = 2.0 }', "probability must be"),
        ('"soon"', "delay must be one of"),
        ('"geometrik:3"', "did you mean 'geometric'"),
        ('"geometric:"', "mean must be"),
        ('"geometric:few"', "mean must be"),
        ('"geometric:3:4"', "delay must be Geometric with mean at most, got 'geometric:3:4'"),
        ('"missing:0.5:soon"', "delay must be one of"),
        ('"heavy-tailed"', "delay must come with median, got"),
        ('{ name = "Missing", delay = 3 }', "delay must come with probability, got"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ExperimentError, match=message) as error:
        builder_of(text).world("Sinusoid", 300)
    assert "line" in str(error.value)
