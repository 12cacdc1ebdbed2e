"""What a run is made of and what it leaves: cells, their names and code, and results files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import driftwise as dw
from driftwise import registry
from driftwise.experiments import Experiment, load_results, merge_results, parse_experiment
from driftwise.experiments.execution import sources as sources_module
from driftwise.experiments.execution.cells import Cell, file_name, list_cells, play, task_of
from driftwise.experiments.execution.results import save_results
from driftwise.experiments.execution.sources import digest_of, own_modules
from driftwise.experiments.setup.building import Builder

Run = Callable[..., bytes]

pytestmark = pytest.mark.usefixtures("small_cells")


def test_cells_cover_everything_once(experiment: Experiment) -> None:
    cells = list(list_cells(Builder(experiment)))
    covered = [
        (cell.world, cell.policy, cell.horizon, replication)
        for cell in cells
        for replication in range(cell.first, cell.last + 1)
    ]
    assert len(covered) == len(set(covered)) == 2 * 4 * 2 * 4
    assert cells[0].id == "slow/SW-UCB/T=600/0-0"
    assert cells[0].horizon == 600  # the longest first
    assert [cell.first for cell in cells] == sorted(cell.first for cell in cells)


def test_policies_meet_the_same_noise(experiment: Experiment) -> None:
    builder = Builder(experiment)
    cells = [cell for cell in list_cells(Builder(experiment)) if cell[::2] == ("slow", 300, 1)]
    seeds = {task_of(cell, builder).seeds for cell in cells}
    assert len(cells) == 4
    assert len(seeds) == 1


def test_a_cell_is_what_simulate_gives(experiment: Experiment) -> None:
    builder = Builder(experiment)
    task = task_of(next(iter(list_cells(Builder(experiment)))), builder)
    (frame,) = play([task])
    alone = dw.simulate(task.policy, task.world, seed=task.seeds[0], checkpoints=5)
    assert frame["regret"].to_list() == alone.regret.tolist()
    assert frame["round"].to_list() == alone.rounds.tolist()
    assert frame["total_reward"].to_list() == [alone.total_reward] * 5


def test_names_are_safe_in_any_file_system() -> None:
    cell = Cell("a/b: *", "SW-UCB w=1/2", 10, 0, 3)
    assert file_name(cell, "key") == "a-b-/SW-UCB-w=1-2/T=10/0-3-key.arrows"
    assert file_name(Cell("..", ".", 10, 0, 3), "key") == "-/-/T=10/0-3-key.arrows"
    assert max(map(len, file_name(Cell("x" * 300, "y", 1, 0, 0), "key").split("/"))) == 80


def test_labels_that_look_alike_are_kept_apart(small_text: str, tmp_path: Path, run: Run) -> None:
    alike = small_text.replace('label = "BOB"', 'label = "SW UCB"').replace(
        'name = "BanditOverBandit"', 'name = "SlidingWindowUCB"'
    )
    run(parse_experiment(alike, "mine"), tmp_path)
    numbers, _ = load_results(tmp_path)
    assert {"SW-UCB", "SW UCB"} <= set(numbers["policy"])


def test_an_edit_of_a_policy_inside_of_a_policy_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "own_helper.py").write_text("STEP = 0.05\n")
    source = (Path(__file__).parents[3] / "examples" / "my_policy.py").read_text("utf-8")
    path = tmp_path / "own_policy_file.py"
    path.write_text("import own_helper\n" + source)
    sys.path.insert(0, str(tmp_path))
    try:
        with registry.including([str(path)]):
            mine = registry.find_policy("MyPolicy")()
            both = dw.Corral.tuned(horizon=100, noise=0.1, bases=[mine, dw.UCB1()])
            names = [module.__name__ for module in own_modules([both])]
            assert names == ["own_helper", "own_policy_file"]
            before = digest_of([both])
            (tmp_path / "own_helper.py").write_text("STEP = 0.06\n")
            assert digest_of([both]) == before  # a run that goes on is not disturbed
            sources_module._content.cache_clear()
            assert digest_of([both]) != before
    finally:
        sys.path.remove(str(tmp_path))


def test_results_say_where_they_come_from(experiment: Experiment, tmp_path: Path, run: Run) -> None:
    run(experiment, tmp_path)
    numbers, (origin,) = load_results(tmp_path)
    assert (origin.name, origin.seed, origin.replications) == ("mine", 7, 4)
    assert origin.experiment == experiment
    assert len(numbers) == 2 * 4 * 2 * 4 * 5
    with pytest.raises(OSError, match=r"results\.parquet"):
        load_results(tmp_path / "cells")
    with pytest.raises(ValueError, match="written by `driftwise run`"):
        load_results(next((tmp_path / "cells").rglob("*.arrows")))


def test_folders_can_be_merged(experiment: Experiment, tmp_path: Path, run: Run) -> None:
    parts = [replace(experiment, horizons=(horizon,)) for horizon in experiment.horizons]
    for i, part in enumerate(parts):
        run(part, tmp_path / str(i))
    (tmp_path / "both").mkdir()
    merge_results([tmp_path / "0", tmp_path / "1", tmp_path / "0"], tmp_path / "both")
    numbers, _ = load_results(tmp_path / "both")
    run(experiment, tmp_path / "whole")
    whole, _ = load_results(tmp_path / "whole")
    order = ["world", "policy", "horizon", "replication", "round"]
    assert numbers.sort(order).equals(whole.sort(order))


def test_folders_that_contradict_each_other_are_not_merged(
    experiment: Experiment, tmp_path: Path, run: Run
) -> None:
    run(experiment, tmp_path / "a")
    other = experiment.text.replace('variation = "T ** (1/3)"', "variation = 5.0")
    run(parse_experiment(other, "mine"), tmp_path / "c")
    with pytest.raises(ValueError, match="two definitions of the world 'fast'"):
        merge_results([tmp_path / "a", tmp_path / "c"], tmp_path)
    run(replace(experiment, seed=8), tmp_path / "b")
    with pytest.raises(ValueError, match=r"same seed .* got \[7, 8\]"):
        merge_results([tmp_path / "a", tmp_path / "b"], tmp_path)
    numbers, _ = load_results(tmp_path / "a")
    save_results(tmp_path / "b", experiment, numbers.with_columns(pl.col("regret") + 1.0))
    with pytest.raises(ValueError, match="two regrets for slow/SW-UCB/T=300, replication 0"):
        merge_results([tmp_path / "a", tmp_path / "b"], tmp_path)
