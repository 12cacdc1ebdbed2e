from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwise.core.engine.agent import Agent
from driftwise.core.engine.simulate import Player, schedule_of, simulate
from driftwise.experiments.analysis.drift import find_drift
from driftwise.experiments.analysis.findings import Findings
from driftwise.experiments.analysis.trace import find_rivals, trace_run
from driftwise.experiments.execution.cells import Cell, task_of
from driftwise.experiments.figures import Drawing, draw_all
from driftwise.experiments.figures.blocks_picture import draw_blocks
from driftwise.experiments.figures.colours import policy_styles
from driftwise.experiments.figures.drawing import blank
from driftwise.experiments.figures.drift import draw_drift
from driftwise.experiments.figures.labels import inside, spread
from driftwise.experiments.setup.building import Builder
from driftwise.experiments.spec.experiment import Experiment
from driftwise.experiments.spec.reading import parse_experiment
from driftwise.pages.palette import ARM_COLOURS, arm_styles, styles_of
from driftwise.registry import all_policies

HEIGHTS = st.lists(st.floats(0.0, 1.0, width=32), min_size=1, max_size=6).map(sorted)
KINDS = ("regret-over-time", "growth", "regret-over-windows", "drift", "one-run")


@pytest.fixture(scope="module")
def drawings(small_findings: Findings) -> dict[str, Drawing]:
    return draw_all(small_findings)


@given(HEIGHTS)
def test_labels_stand_apart_and_near(heights: list[float]) -> None:
    placed = spread(heights, 0.1)
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(placed))
    assert all(abs(a - b) <= 0.1 * len(heights) for a, b in zip(placed, heights, strict=True))
    assert abs(sum(placed) - sum(heights)) < 1e-9  # none is moved further than its neighbours


@given(HEIGHTS)
def test_labels_with_room_stay(heights: list[float]) -> None:
    apart = [height + i for i, height in enumerate(heights)]
    assert spread(apart, 0.0) == [round(height, 12) for height in apart]


@given(HEIGHTS)
def test_labels_stay_inside(heights: list[float]) -> None:
    placed = inside(spread(heights, 0.15), 0.15)
    assert placed[0] >= -1e-9
    assert placed[-1] <= 1.0 + 1e-9
    assert all(b - a >= 0.15 - 1e-9 for a, b in pairwise(placed))


def test_every_world_has_its_figures(drawings: dict[str, Drawing]) -> None:
    assert set(drawings) == {f"{kind}-{world}" for kind in KINDS for world in ("slow", "fast")}
    for drawing in drawings.values():
        assert drawing.png.startswith(b"\x89PNG")
        assert b"<svg" in drawing.svg
        assert set(drawing.files) == {"png", "svg"}
        assert len(drawing.words) > 50
    growth = drawings["growth-slow"].words
    assert "SW-UCB: from" in growth
    assert "theory's slope is 0.67" in growth


@pytest.mark.slow
def test_the_same_findings_give_the_same_bytes(
    small_findings: Findings, drawings: dict[str, Drawing]
) -> None:
    assert draw_all(_first_world(small_findings)) == {
        name.removesuffix("-slow"): drawing
        for name, drawing in drawings.items()
        if name.endswith("-slow")
    }


@pytest.mark.slow
def test_figures_for_a_paper_are_a_column_wide(small_findings: Findings) -> None:
    drawings = draw_all(_first_world(small_findings), style="paper")
    assert set(drawings) == set(KINDS)
    for drawing in drawings.values():
        width = int.from_bytes(drawing.png[16:20], "big")
        assert width == round(3.25 * 300)
        assert b'width="234pt"' in drawing.svg  # 3.25 inches
        assert set(drawing.files) == {"png", "svg", "pdf"}
        assert drawing.pdf.startswith(b"%PDF")
        assert b"/FontFile2" in drawing.pdf  # fonts are in it, as text
        assert b"/Type3" not in drawing.pdf


def test_one_replication_at_one_horizon_can_be_drawn(small_findings: Findings) -> None:
    numbers = small_findings.numbers.filter(pl.col("replication") == 0, pl.col("horizon") == 300)
    lone = replace(_first_world(small_findings), numbers=numbers)
    assert set(draw_all(lone)) == set(KINDS) - {"growth"}


def test_a_policy_has_its_colour_in_every_experiment() -> None:
    styles = [
        policy_styles(_experiment(names))
        for names in (["SlidingWindowUCB", "Exp3S"], ["BanditOverBandit", "SlidingWindowUCB"])
    ]
    assert styles[0]["SlidingWindowUCB"] == styles[1]["SlidingWindowUCB"]
    many = [f'LinTS"\nlabel = "{i}' for i in range(12)]
    drawn = policy_styles(_experiment(many)).values()
    assert len({(style.colour, style.line) for style in drawn}) == 12


def test_an_arm_has_one_colour_in_every_picture_and_no_policy_has_it(
    drawings: dict[str, Drawing],
) -> None:
    policies = {style.colour for style in styles_of([*all_policies()]).values()}
    assert not policies & set(ARM_COLOURS)
    for kind in ("drift-slow", "drift-fast", "one-run-slow", "one-run-fast"):
        for colour in ARM_COLOURS[:2]:
            assert colour.lower().encode() in drawings[kind].svg, kind
    assert len({(style.colour, style.line) for style in arm_styles(8)}) == 8


@pytest.mark.parametrize("factor", [0.9, 2.0])
def test_no_line_runs_through_the_costs_of_windows(factor: float, small_findings: Findings) -> None:
    trace = trace_run(small_findings.builder, "fast", 600, ("SW-UCB", "BOB"))
    lost = np.full(600, factor * 600 * np.nanmax(trace.blocks.per_window()[1]))
    trace = trace._replace(sliding_window=trace.sliding_window._replace(regret=lost))
    figure = blank(9.6, 12.2)
    draw_blocks(figure, trace, {"SW-UCB": "blue", "BOB": "green"})
    costs = figure.axes[-1]
    (line,) = costs.lines
    last = costs.get_xlim()[1]
    assert 0.0 < float(np.max(line.get_xdata())) < 0.75 * last, "it is inside the picture"
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]  # Agg's canvas has one
    for text in costs.texts:
        left = costs.transData.inverted().transform(text.get_window_extent(renderer).p0)[0]
        assert left > 0.75 * last


def test_a_sweep_has_its_grid_theory_and_the_best(small_findings: Findings) -> None:
    (sweep,) = small_findings.sweeps("slow", 600)
    assert (sweep.name, sweep.setting) == ("best fixed window", "window")
    assert [point.value for point in sweep.points] == [20.0, 200.0]
    assert [point.label for point in sweep.theory] == ["SW-UCB"]
    standings = next(s for s in small_findings.standings if (s.world, s.horizon) == ("slow", 600))
    assert sweep.best.label == standings.best_of["best fixed window"]
    assert sweep.theory[0].regret.value == pytest.approx(standings.of("SW-UCB").regret.value)
    own = small_findings.builder.policy("SW-UCB", "slow", 600)
    assert sweep.theory[0].value == own.window


def test_a_trace_is_the_run_that_the_numbers_count(small_findings: Findings) -> None:
    trace = trace_run(small_findings.builder, "fast", 600, ("SW-UCB", "BOB"))
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        counted = small_findings.numbers.filter(
            pl.col("world") == "fast",
            pl.col("policy") == play.policy,
            pl.col("horizon") == 600,
            pl.col("replication") == 0,
        )
        assert len(counted) == 5
        np.testing.assert_array_equal(
            play.regret[counted["round"].to_numpy() - 1], counted["regret"]
        )
        task = task_of(Cell("fast", play.policy, 600, 0, 0), small_findings.builder)
        run = simulate(task.policy, task.world, seed=task.seeds[0], checkpoints=600)
        np.testing.assert_array_equal(play.regret, run.regret)


def test_blocks_of_a_trace_add_up(small_findings: Findings) -> None:
    trace = trace_run(small_findings.builder, "slow", 300, ("SW-UCB", "BOB"))
    policy, blocks = small_findings.builder.policy("BOB", "slow", 300), trace.blocks
    lengths = np.full(len(blocks.drawn), blocks.length)
    lengths[-1] = 300 - lengths[:-1].sum()
    assert 0 < lengths[-1] <= blocks.length == policy.block_length
    np.testing.assert_allclose(
        (blocks.regret * lengths).sum(), trace.bandit_over_bandit.regret[-1], rtol=1e-12
    )
    assert blocks.windows.tolist() == policy.settings.tolist()
    first, last = trace.close_up
    assert 0 < first < last <= 300
    # A block begins with an empty memory, SW-UCB does not.
    assert (trace.bandit_over_bandit.estimates[0] == 0.0).all()
    assert (trace.sliding_window.estimates[0] != 0.0).all()


LATE_RIVALS = """
horizons = [600]
[[worlds]]
name = "Sinusoid"
delay = "{delay}"
[[policies]]
name = "SlidingWindowUCB"
[[policies]]
name = "BanditOverBandit"
block_length = 50
"""


@pytest.mark.parametrize("delay", ["30", "geometric:40", "batches:130", "missing:0.5"])
def test_a_trace_knows_of_late_rewards(delay: str) -> None:
    builder = Builder(parse_experiment(LATE_RIVALS.format(delay=delay), "late"))
    trace = trace_run(builder, "Sinusoid", 600, ("SlidingWindowUCB", "BanditOverBandit"))
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        task = task_of(Cell("Sinusoid", play.policy, 600, 0, 0), builder)
        run = simulate(task.policy, task.world, seed=task.seeds[0], checkpoints=600)
        np.testing.assert_array_equal(play.regret, run.regret)
    # The blocks, found once more by a memory that is looked at after every round.
    player, schedule = (
        Player(task.policy, task.world, task.seeds[0]),
        schedule_of(task.world, task.seeds[0]),
    )
    assert schedule is not None
    numbers = []
    for rounds in task.world.rounds(task.seeds[0], 1):
        player.play(rounds, schedule.next_chunk(1))
        numbers.append(player.memory.block[0])
    begins = 1 + np.flatnonzero(np.diff(numbers, prepend=0))
    assert trace.blocks.edges.tolist() == sorted({0, *begins.tolist(), 600})
    assert len(trace.blocks.drawn) == len(trace.blocks.edges) - 1
    assert set(trace.close_up) <= set(trace.blocks.edges.tolist())


def test_a_close_up_shows_what_an_agent_does(small_findings: Findings) -> None:
    trace = trace_run(small_findings.builder, "fast", 300, ("SW-UCB", "BOB"))
    first, last = trace.close_up
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        task = task_of(Cell("fast", play.policy, 300, 0, 0), small_findings.builder)
        (rounds,) = task.world.rounds(task.seeds[0], 300)
        fixed = task.world.decision_set
        agent = Agent(task.policy, decision_set=fixed, seed=task.seeds[0], is_interpreted=True)
        arms, estimates, drawn = [], [], []
        for t in range(300):
            estimates.append(fixed @ agent.estimate)
            decision = agent.choose()
            agent.learn(decision, float(rounds.rewards[t, decision.arm]))
            arms.append(decision.arm)
            if play is trace.bandit_over_bandit and t % trace.blocks.length == 0:
                drawn.append(decision.choice.candidate)
        np.testing.assert_array_equal(play.arms, arms[first:last])
        np.testing.assert_array_equal(play.estimates, estimates[first:last])
    assert trace.blocks.drawn.tolist() == drawn


@pytest.mark.parametrize(
    ("world", "policies"),
    [
        ("Sinusoid", ["SlidingWindowUCB"]),
        ("AbruptCircle", ["SlidingWindowUCB", "BanditOverBandit"]),
    ],
)
def test_a_trace_needs_both_rivals_and_two_fixed_arms(world: str, policies: list[str]) -> None:
    builder = Builder(_experiment(policies, world))
    assert find_rivals(builder, world, 300) is None


def _first_world(findings: Findings) -> Findings:
    experiment = findings.experiment
    only = replace(experiment, worlds=experiment.worlds[:1])
    numbers = findings.numbers.filter(pl.col("world") == experiment.worlds[0].label)
    return replace(findings, experiment=only, builder=Builder(only), numbers=numbers)


def _experiment(policies: list[str], world: str = "Sinusoid") -> Experiment:
    entries = "\n".join(f'[[policies]]\nname = "{name}"' for name in policies)
    return parse_experiment(f'horizons = [300]\n[[worlds]]\nname = "{world}"\n{entries}', "mine")


@pytest.mark.parametrize(("variation", "bands"), [(1.0, 2), (500.0, 0)])
def test_a_close_up_of_a_drift_has_no_bands(variation: float, bands: int) -> None:
    text = f"""
    horizons = [9000]
    worlds = [{{name = "Sinusoid", label = "wave", variation = {variation}}}]
    policies = [{{name = "Uniform"}}]
    """
    drawing = draw_drift(
        find_drift(Builder(parse_experiment(text, "mine")).world("wave", 9000), 0), "wave"
    )
    # By their look: their name is another one since Matplotlib 3.10.
    assert drawing.svg.count(b"fill-opacity: 0.16") == bands
    assert len(drawing.svg) < 300_000
