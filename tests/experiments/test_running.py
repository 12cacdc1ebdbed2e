from __future__ import annotations

import _thread
from typing import Self

import pytest

from driftwise.core.simulate import simulate
from driftwise.experiments import running
from driftwise.experiments.experiment import Paper
from driftwise.experiments.numbers import Row, as_csv, as_parquet, tabulate
from driftwise.experiments.running import Cell, list_cells, play, run


class Counter:
    """Progress that counts, and stops the run when it has seen enough."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.rounds, self.calls, self.stop_after = 0, 0, stop_after

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, what: str) -> None:
        pass

    def advance(self, rounds: int) -> None:
        self.rounds += rounds
        self.calls += 1
        if self.calls == self.stop_after:
            raise KeyboardInterrupt


def test_the_number_of_jobs_changes_no_byte(small_paper: Paper) -> None:
    cells = list_cells(small_paper.experiments, replications=5)
    alone, _ = run(cells, seed=3, jobs=1, progress=Counter())
    together, _ = run(cells[::-1], seed=3, jobs=2, progress=Counter())
    assert as_csv(tabulate(alone)) == as_csv(tabulate(together))
    assert as_parquet(tabulate(alone)) == as_parquet(tabulate(together))
    other, _ = run(cells, seed=4, jobs=2, progress=Counter())
    assert as_csv(tabulate(alone)) != as_csv(tabulate(other))


def test_all_rounds_are_counted(small_paper: Paper) -> None:
    cells = list_cells(small_paper.experiments, replications=2)
    progress = Counter()
    rows, is_interrupted = run(cells, seed=0, jobs=2, progress=progress)
    assert not is_interrupted
    assert len(rows) == 2 * len(cells)
    assert progress.rounds == sum(cell.horizon for cell in cells) == 2 * 2 * (300 + 600 + 1200)


def test_cells_go_replication_by_replication(small_paper: Paper) -> None:
    cells = list_cells(small_paper.experiments, replications=3)
    assert len(cells) == len(set(cells)) == 3 * 6
    assert [cell.replication for cell in cells] == sorted(cell.replication for cell in cells)


def test_a_cell_is_what_simulate_gives(small_paper: Paper) -> None:
    for experiment in small_paper.experiments:
        for row in play(Cell(experiment, 600, 2), seed=9):
            assert row.seed == experiment.seed(9, 600, 2)
            policy, world = experiment.policy(row.policy, 600), experiment.world(600)
            assert row.regret == simulate(policy, world, seed=row.seed).total_regret
            assert row.variation_nominal == experiment.variation(600)
            assert row.variation_realised == world.realised_variation().l2


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_keeps_what_is_finished(small_paper: Paper, jobs: int) -> None:
    cells = list_cells(small_paper.experiments, replications=4)
    everything, _ = run(cells, seed=1, jobs=1, progress=Counter())
    rows, is_interrupted = run(cells, seed=1, jobs=jobs, progress=Counter(stop_after=9))
    assert is_interrupted
    # What a second worker has finished meanwhile is kept as well.
    assert len(rows) == 2 * 9 if jobs == 1 else 2 * 9 <= len(rows) <= 2 * len(cells)
    assert set(rows) <= set(everything)


def test_an_interruption_from_outside_may_come_at_any_point(
    small_paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = list_cells(small_paper.experiments, replications=100)

    def play_and_interrupt(cell: Cell, seed: int) -> list[Row]:
        if cell == cells[20]:
            _thread.interrupt_main()
        return play(cell, seed)

    monkeypatch.setattr(running, "play", play_and_interrupt)
    rows, is_interrupted = run(cells, seed=1, jobs=2, progress=Counter())
    assert is_interrupted
    assert 0 < len(rows) < 2 * len(cells)
    assert len(set(rows)) == len(rows)
