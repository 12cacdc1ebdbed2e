"""Runs that survive: what is finished is kept, and the numbers never depend on how they came."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import driftwise as dw
from driftwise import registry
from driftwise.experiments import Experiment, load_results, merge_results, parse_experiment
from driftwise.experiments.description.building import Builder
from driftwise.experiments.progress import Silence
from driftwise.experiments.work import cells as cells_module
from driftwise.experiments.work import running as running_module
from driftwise.experiments.work import sources as sources_module
from driftwise.experiments.work.cells import Cell, file_name, list_cells, play, task_of
from driftwise.experiments.work.engines import engine
from driftwise.experiments.work.results import save_results
from driftwise.experiments.work.running import collect, play_missing
from driftwise.experiments.work.sources import digest_of, own_modules
from driftwise.experiments.work.store import Store


@pytest.fixture
def experiment(small_text: str) -> Experiment:
    return parse_experiment(small_text, "mine")


@pytest.fixture(autouse=True)
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells_module, "_CELL_ROUNDS", 600)  # one or two replications each


def one_by_one(play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    return map(play, tasks)


def run(experiment: Experiment, folder: Path, play_all: Any = one_by_one) -> bytes:
    """Run an experiment into a folder; return the results file."""
    builder, store = Builder(experiment), Store(folder / "cells")
    play_missing(builder, store, play_all, Silence())
    results = collect(builder, store)
    return save_results(folder, experiment, results.numbers).read_bytes()


class Counting:
    """An engine that counts what it plays, and is stopped after some cells."""

    def __init__(self, stop_after: int = 10**9, error: type[BaseException] = KeyboardInterrupt):
        self.played: list[Cell] = []
        self._left, self._error = stop_after, error

    def __call__(self, play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        for task in tasks:
            if self._left == 0:
                self._left = 10**9
                raise self._error
            self._left -= 1
            self.played += [each.cell for each in task]
            yield play(task)


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


def test_a_stopped_run_goes_on_and_ends_in_the_same_bytes(
    experiment: Experiment, tmp_path: Path
) -> None:
    whole = run(experiment, tmp_path / "whole")
    stopped, rest = Counting(stop_after=9), Counting()
    partial = run(experiment, tmp_path / "stopped", stopped)
    assert partial != whole
    assert run(experiment, tmp_path / "stopped", rest) == whole
    assert len(stopped.played) == 9
    assert not set(stopped.played) & set(rest.played)
    assert len(stopped.played) + len(rest.played) == len(list(list_cells(Builder(experiment))))


def test_policies_that_share_their_rounds_end_in_the_same_bytes(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run(experiment, tmp_path / "alone")
    files = {path.name: path.read_bytes() for path in tmp_path.glob("alone/cells/**/*.parquet")}
    monkeypatch.setattr(running_module, "_LEAST_PARTS", 1)
    monkeypatch.setattr(running_module, "_MOST_ROUNDS", 3 * 600)
    groups: list[set[Cell]] = []

    def grouped(play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        groups.extend({task.cell for task in group} for group in tasks)
        return map(play, tasks)

    assert run(experiment, tmp_path / "shared", grouped) == alone
    shared = {path.name: path.read_bytes() for path in tmp_path.glob("shared/cells/**/*.parquet")}
    assert shared == files
    assert {len(group) for group in groups} == {1, 3}  # of four policies
    for group in groups:
        assert len({cell._replace(policy="") for cell in group}) == 1
    assert sorted(cell for group in groups for cell in group) == sorted(
        list_cells(Builder(experiment))
    )


def test_a_dead_worker_costs_time_only(experiment: Experiment, tmp_path: Path) -> None:
    class TerminatedWorkerError(Exception):  # as joblib's
        pass

    mortal = Counting(stop_after=5, error=TerminatedWorkerError)
    assert run(experiment, tmp_path / "a", mortal) == run(experiment, tmp_path / "b")
    assert len(mortal.played) == len(list(list_cells(Builder(experiment))))

    def hopeless(play: Any, tasks: Any) -> Iterator[Any]:
        raise TerminatedWorkerError

    with pytest.raises(TerminatedWorkerError):
        run(experiment, tmp_path / "c", hopeless)


def test_other_errors_are_not_tried_again(experiment: Experiment, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        run(experiment, tmp_path, Counting(stop_after=2, error=ZeroDivisionError))


def test_a_changed_experiment_reuses_what_did_not_change(
    experiment: Experiment, small_text: str, tmp_path: Path
) -> None:
    run(experiment, tmp_path)
    again = Counting()
    run(experiment, tmp_path, again)
    assert again.played == []
    more = small_text.replace('label = "BOB"', 'label = "BOB"\nridge = 2.0')
    more += '\n[[policies]]\nname = "Uniform"\n'
    changed = Counting()
    run(parse_experiment(more, "mine"), tmp_path, changed)
    assert {cell.policy for cell in changed.played} == {"BOB", "Uniform"}
    longer = Counting()
    run(replace(experiment, replications=6), tmp_path, longer)
    assert {(cell.first, cell.last) for cell in longer.played} == {(4, 4), (5, 5), (4, 5)}
    other_seed = Counting()
    run(replace(experiment, seed=8), tmp_path, other_seed)
    assert len(other_seed.played) == len(list(list_cells(Builder(experiment))))


def test_edited_code_is_noticed(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(experiment, tmp_path)
    monkeypatch.setattr(cells_module, "_package_digest", lambda: "edited")
    edited = Counting()
    run(experiment, tmp_path, edited)
    assert len(edited.played) == len(list(list_cells(Builder(experiment))))


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"PAR1" + b"x" * 99 + b"PAR1"])
def test_a_damaged_cell_is_played_again(
    experiment: Experiment, tmp_path: Path, damage: bytes
) -> None:
    whole = run(experiment, tmp_path)
    victim = sorted((tmp_path / "cells").rglob("*.parquet"))[3]
    victim.write_bytes(damage)
    again = Counting()
    assert run(experiment, tmp_path, again) == whole
    assert len(again.played) == 1


def test_a_full_disk_leaves_what_was_finished(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = Store.save
    left = iter(range(5))

    def fill_up(self: Store, name: str, frame: pl.DataFrame) -> None:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        saved(self, name, frame)

    monkeypatch.setattr(Store, "save", fill_up)
    with pytest.raises(OSError, match="No space left"):
        run(experiment, tmp_path / "full")
    monkeypatch.setattr(Store, "save", saved)
    rest = Counting()
    assert run(experiment, tmp_path / "full", rest) == run(experiment, tmp_path / "whole")
    assert len(rest.played) == len(list(list_cells(Builder(experiment)))) - 5


def test_names_are_safe_in_any_file_system() -> None:
    cell = Cell("a/b: *", "SW-UCB w=1/2", 10, 0, 3)
    assert file_name(cell, "key") == "a-b-/SW-UCB-w=1-2/T=10/0-3-key.parquet"
    assert file_name(Cell("..", ".", 10, 0, 3), "key") == "-/-/T=10/0-3-key.parquet"
    assert max(map(len, file_name(Cell("x" * 300, "y", 1, 0, 0), "key").split("/"))) == 80


def test_labels_that_look_alike_are_kept_apart(small_text: str, tmp_path: Path) -> None:
    alike = small_text.replace('label = "BOB"', 'label = "SW UCB"').replace(
        'name = "BanditOverBandit"', 'name = "SlidingWindowUCB"'
    )
    run(parse_experiment(alike, "mine"), tmp_path)
    numbers, _ = load_results(tmp_path)
    assert {"SW-UCB", "SW UCB"} <= set(numbers["policy"])


def test_an_edit_of_a_policy_inside_of_a_policy_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "own_helper.py").write_text("STEP = 0.05\n")
    source = (Path(__file__).parents[2] / "examples" / "my_policy.py").read_text("utf-8")
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


def test_results_say_where_they_come_from(experiment: Experiment, tmp_path: Path) -> None:
    run(experiment, tmp_path)
    numbers, (origin,) = load_results(tmp_path)
    assert (origin.name, origin.seed, origin.replications) == ("mine", 7, 4)
    assert origin.experiment == experiment
    assert len(numbers) == 2 * 4 * 2 * 4 * 5
    with pytest.raises(OSError, match=r"results\.parquet"):
        load_results(tmp_path / "cells")
    with pytest.raises(ValueError, match="written by `driftwise run`"):
        load_results(next((tmp_path / "cells").rglob("*.parquet")))


def test_folders_can_be_merged(experiment: Experiment, tmp_path: Path) -> None:
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
    experiment: Experiment, tmp_path: Path
) -> None:
    run(experiment, tmp_path / "a")
    other = experiment.text.replace('variation = "T ** (1/3)"', "variation = 5.0")
    run(parse_experiment(other, "mine"), tmp_path / "c")
    with pytest.raises(ValueError, match="two kinds of the world 'fast'"):
        merge_results([tmp_path / "a", tmp_path / "c"], tmp_path)
    run(replace(experiment, seed=8), tmp_path / "b")
    with pytest.raises(ValueError, match=r"same seed .* got \[7, 8\]"):
        merge_results([tmp_path / "a", tmp_path / "b"], tmp_path)
    numbers, _ = load_results(tmp_path / "a")
    save_results(tmp_path / "b", experiment, numbers.with_columns(pl.col("regret") + 1.0))
    with pytest.raises(ValueError, match="two regrets for slow/SW-UCB/T=300, replication 0"):
        merge_results([tmp_path / "a", tmp_path / "b"], tmp_path)


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_no_number_depends_on_where_it_was_played(
    experiment: Experiment, tmp_path: Path, backend: str
) -> None:
    with engine(backend, 2) as play_all:
        there = run(experiment, tmp_path / "there", play_all)
    assert there == run(experiment, tmp_path / "here")


@pytest.mark.slow
def test_kill_minus_nine_costs_nothing_that_was_finished(
    experiment: Experiment, tmp_path: Path
) -> None:
    """A process of its own is killed in mid-run, again and again, until it gets through."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "mine.toml").write_text(experiment.text)
    cells = tmp_path / "cells"
    kept = 0
    while not (tmp_path / "results.parquet").exists():
        process = subprocess.Popen([sys.executable, str(script), str(tmp_path)])
        deadline = time.monotonic() + 60.0
        while process.poll() is None and time.monotonic() < deadline:
            if kept < 30 and len(list(cells.rglob("*.parquet"))) >= kept + 10:
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait(timeout=60)
        now = len(list(cells.rglob("*.parquet")))
        assert now > kept
        kept = now
    assert (tmp_path / "results.parquet").read_bytes() == run(experiment, tmp_path / "whole")


SCRIPT = """
import sys
from pathlib import Path
from driftwise.experiments import read_experiment
from driftwise.experiments.description.building import Builder
from driftwise.experiments.progress import Silence
from driftwise.experiments.work import cells
from driftwise.experiments.work.results import save_results
from driftwise.experiments.work.running import collect, play_missing
from driftwise.experiments.work.sources import digest_of, own_modules
from driftwise.experiments.work.store import Store

cells._CELL_ROUNDS = 600
folder = Path(sys.argv[1])
experiment = read_experiment(folder / "mine.toml")
builder, store = Builder(experiment), Store(folder / "cells")
play_missing(builder, store, map, Silence())
save_results(folder, experiment, collect(builder, store).numbers)
"""


def test_a_cell_is_what_simulate_gives(experiment: Experiment) -> None:
    builder = Builder(experiment)
    task = task_of(next(iter(list_cells(Builder(experiment)))), builder)
    (frame,) = play([task])
    alone = dw.simulate(task.policy, task.world, seed=task.seeds[0], checkpoints=5)
    assert frame["regret"].to_list() == alone.regret.tolist()
    assert frame["round"].to_list() == alone.rounds.tolist()
    assert frame["total_reward"].to_list() == [alone.total_reward] * 5
