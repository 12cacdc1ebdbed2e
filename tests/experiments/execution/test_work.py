"""Runs that survive: what is finished is kept, and the numbers never depend on how they came."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from driftwise.experiments import Experiment, load_results, parse_experiment
from driftwise.experiments.execution import cells as cells_module
from driftwise.experiments.execution import running as running_module
from driftwise.experiments.execution.cells import Cell, list_cells
from driftwise.experiments.execution.store import Store
from driftwise.experiments.setup.building import Builder
from driftwise.workers.engines import engine
from driftwise.workers.progress import Silence

Run = Callable[..., bytes]

pytestmark = pytest.mark.usefixtures("small_cells")


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


def test_a_stopped_run_goes_on_and_ends_in_the_same_bytes(
    experiment: Experiment, tmp_path: Path, run: Run
) -> None:
    whole = run(experiment, tmp_path / "whole")
    stopped, rest = Counting(stop_after=9), Counting()
    partial = run(experiment, tmp_path / "stopped", stopped)
    assert partial != whole
    assert run(experiment, tmp_path / "stopped", rest) == whole
    assert len(stopped.played) == 9
    assert not set(stopped.played) & set(rest.played)
    assert len(stopped.played) + len(rest.played) == len(list(list_cells(Builder(experiment))))


def test_one_ctrl_c_that_is_raised_twice_stops_a_run_once(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising_as_it_ends(
        play: Callable[[Any], Any], tasks: Sequence[Any]
    ) -> Generator[Any, None, None]:
        try:
            yield from map(play, tasks)
        finally:
            raise KeyboardInterrupt

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "save", interrupted)
    builder, store, play_all = Builder(experiment), Store(tmp_path), raising_as_it_ends
    assert not running_module.play_missing(builder, store, play_all, Silence())


def test_policies_that_share_their_rounds_end_in_the_same_bytes(
    experiment: Experiment, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run(experiment, tmp_path / "alone")
    files = {path.name: path.read_bytes() for path in tmp_path.glob("alone/cells/**/*.arrows")}
    monkeypatch.setattr(running_module, "_LEAST_PARTS", 1)
    monkeypatch.setattr(running_module, "_MOST_ROUNDS", 3 * 600)
    groups: list[set[Cell]] = []

    def grouped(play: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        groups.extend({task.cell for task in group} for group in tasks)
        yield from map(play, tasks)

    assert run(experiment, tmp_path / "shared", grouped) == alone
    shared = {path.name: path.read_bytes() for path in tmp_path.glob("shared/cells/**/*.arrows")}
    assert shared == files
    assert {len(group) for group in groups} == {1, 3}  # of four policies
    for group in groups:
        assert len({cell._replace(policy="") for cell in group}) == 1
    assert sorted(cell for group in groups for cell in group) == sorted(
        list_cells(Builder(experiment))
    )


def test_a_dead_worker_costs_time_only(experiment: Experiment, tmp_path: Path, run: Run) -> None:
    class TerminatedWorkerError(Exception):  # as joblib's
        pass

    mortal = Counting(stop_after=5, error=TerminatedWorkerError)
    assert run(experiment, tmp_path / "a", mortal) == run(experiment, tmp_path / "b")
    assert len(mortal.played) == len(list(list_cells(Builder(experiment))))

    def hopeless(play: Any, tasks: Any) -> Iterator[Any]:
        raise TerminatedWorkerError

    with pytest.raises(TerminatedWorkerError):
        run(experiment, tmp_path / "c", hopeless)


def test_other_errors_are_not_tried_again(experiment: Experiment, tmp_path: Path, run: Run) -> None:
    with pytest.raises(ZeroDivisionError):
        run(experiment, tmp_path, Counting(stop_after=2, error=ZeroDivisionError))


def test_a_changed_experiment_reuses_what_did_not_change(
    experiment: Experiment, small_text: str, tmp_path: Path, run: Run
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
    experiment: Experiment, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(experiment, tmp_path)
    monkeypatch.setattr(cells_module, "_package_digest", lambda: "edited")
    edited = Counting()
    run(experiment, tmp_path, edited)
    assert len(edited.played) == len(list(list_cells(Builder(experiment))))


def _flip(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "nonsense": lambda whole: b"PAR1" + b"x" * 99 + b"PAR1",
    "cut off": lambda whole: whole[:-1],
    "without its digest": lambda whole: whole[:-32],
    "zeros at its end": lambda whole: whole[: len(whole) // 2] + bytes(-(-len(whole) // 2)),
    "a bit in its head": lambda whole: _flip(whole, 40),
    "a bit in its numbers": lambda whole: _flip(whole, len(whole) // 2),
    "a bit in its digest": lambda whole: _flip(whole, -2),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_cell_is_played_again(
    experiment: Experiment, tmp_path: Path, run: Run, damage: Callable[[bytes], bytes]
) -> None:
    whole = run(experiment, tmp_path)
    victim = sorted((tmp_path / "cells").rglob("*.arrows"))[3]
    victim.write_bytes(damage(victim.read_bytes()))
    again = Counting()
    assert run(experiment, tmp_path, again) == whole
    assert len(again.played) == 1


def test_a_cell_can_be_read_by_others(experiment: Experiment, tmp_path: Path, run: Run) -> None:
    run(experiment, tmp_path)
    numbers, _ = load_results(tmp_path)
    files = sorted((tmp_path / "cells").rglob("*.arrows"))
    cells = pl.concat([pl.read_ipc_stream(file) for file in files])
    assert cells.sort(pl.all()).equals(numbers.sort(pl.all()))


def test_what_was_played_or_read_is_not_read_again(
    experiment: Experiment, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = list[Path]()
    read = Path.read_bytes

    def count(self: Path) -> bytes:
        content = read(self)
        files.extend([self] * (self.parent != tmp_path and self.suffix == ".arrows"))
        return content

    monkeypatch.setattr(Path, "read_bytes", count)
    whole = run(experiment, tmp_path)
    assert files == []
    assert run(experiment, tmp_path) == whole
    assert sorted(files) == sorted((tmp_path / "cells").rglob("*.arrows"))


def test_a_full_disk_leaves_what_was_finished(
    experiment: Experiment, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_no_number_depends_on_where_it_was_played(
    experiment: Experiment, tmp_path: Path, run: Run, backend: str
) -> None:
    with engine(backend, 2) as play_all:
        there = run(experiment, tmp_path / "there", play_all)
    assert there == run(experiment, tmp_path / "here")


@pytest.mark.slow
def test_kill_minus_nine_costs_nothing_that_was_finished(
    experiment: Experiment, tmp_path: Path, run: Run
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
            if kept < 30 and len(list(cells.rglob("*.arrows"))) >= kept + 10:
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait(timeout=60)
        now = len(list(cells.rglob("*.arrows")))
        assert now > kept
        kept = now
    assert (tmp_path / "results.parquet").read_bytes() == run(experiment, tmp_path / "whole")


SCRIPT = """
import sys
from pathlib import Path
from driftwise.experiments import read_experiment
from driftwise.experiments.setup.building import Builder
from driftwise.workers.progress import Silence
from driftwise.experiments.execution import cells
from driftwise.experiments.execution.results import save_results
from driftwise.experiments.execution.running import collect, play_missing
from driftwise.experiments.execution.sources import digest_of, own_modules
from driftwise.experiments.execution.store import Store

cells._CELL_ROUNDS = 600
folder = Path(sys.argv[1])
experiment = read_experiment(folder / "mine.toml")
builder, store = Builder(experiment), Store(folder / "cells")
play_missing(builder, store, lambda play, tasks: (play(task) for task in tasks), Silence())
save_results(folder, experiment, collect(builder, store).numbers)
"""
