"""Playing a gallery: every world, every policy that may play there, on the same rounds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import joblib
import polars as pl

from ...core.engine.simulate import Player, schedule_of, simulate_all
from ...core.randomness.seeds import named_seed
from ...delays import Delay
from ...workers.progress import show_progress
from ..execution.cells import COLUMNS
from ..setup.lateness import late
from ..setup.tuning import MissingSettingsError
from .line_up import LineUp, default_world, line_up

__all__ = ["CHECKPOINTS", "Plan", "Played", "play_all"]

CHECKPOINTS = 50
_COLUMNS = {name: kind for name, kind in COLUMNS.items() if name != "total_reward"}


class Plan(NamedTuple):
    """What a gallery is to show."""

    worlds: Mapping[str, type[Any]]
    policies: Mapping[str, type[Any]]
    horizon: int | None  # None: a world's own, or else `default_horizon`
    default_horizon: int
    replications: int
    seed: int
    delay: Delay | None = None  # of every world; None: a world's own

    def world(self, name: str) -> Any:
        """Return a world of the gallery."""
        world = default_world(self.worlds[name], self.horizon, self.default_horizon)
        return world if self.delay is None else late(world, self.delay)

    def own_seed(self, world: str, replication: int) -> int:
        """Return the seed of one replication, which does not depend on the others."""
        return named_seed(self.seed, f"gallery/{world}/{replication}")


class Played(NamedTuple):
    """What came of a plan."""

    numbers: pl.DataFrame  # one row per world, policy, replication and checkpoint
    line_ups: dict[str, LineUp]  # of the first replication, by world
    left_out: dict[str, str]  # worlds that need more settings, or where nobody plays, and why
    is_interrupted: bool


class _Task(NamedTuple):
    world: str
    replication: int


def play_all(plan: Plan, *, jobs: int, quiet: bool) -> Played:
    """Play world by world; Ctrl-C ends it early, and what is finished is kept."""
    line_ups, left_out = dict[str, LineUp](), dict[str, str]()
    for name in plan.worlds:
        try:
            world = plan.world(name)
        except MissingSettingsError as error:
            left_out[name] = error.need
            continue
        except ValueError as error:
            left_out[name] = str(error)
            continue
        found = line_up(world, plan.policies, plan.own_seed(name, 0))
        if found.policies:
            line_ups[name] = found
        else:
            left_out[name] = "; ".join(found.refused.values())
    if not line_ups:
        return Played(pl.DataFrame(schema=_COLUMNS), line_ups, left_out, is_interrupted=False)
    tasks = [_Task(name, i) for name in line_ups for i in range(plan.replications)]
    lengths = {name: _length(plan, name, line_ups) for name in line_ups}
    frames: dict[_Task, pl.DataFrame] = {}

    def play_and_keep(task: _Task) -> int:
        # Kept where it was played: what nobody has fetched yet survives Ctrl-C, too.
        frames[task] = _play(plan, task, line_ups[task.world])
        return lengths[task.world]

    is_interrupted = False
    total = sum(lengths[task.world] for task in tasks)
    # Threads, because the compiled loop leaves Python's lock alone and nothing need be copied.
    parallel = joblib.Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
    with show_progress(max(1, total), quiet=quiet) as progress, warnings.catch_warnings():
        # Closing early is what Ctrl-C is for; joblib would warn of tasks that never ran.
        warnings.filterwarnings("ignore", module="joblib")
        results: Any = iter(())
        try:
            progress.say("Compiling")
            for name in line_ups:
                _compile(plan, name, line_ups[name])
            progress.say("Playing")
            results = parallel(joblib.delayed(play_and_keep)(task) for task in tasks)
            for rounds in results:
                progress.advance(rounds)
        except KeyboardInterrupt:
            is_interrupted = True
        finally:
            with suppress(AttributeError):
                results.close()
    kept = [frames[task] for task in tasks if task in frames]  # in order, whoever finished first
    numbers = pl.concat([pl.DataFrame(schema=_COLUMNS), *kept])
    return Played(numbers, line_ups, left_out, is_interrupted)


def _play(plan: Plan, task: _Task, first: LineUp) -> pl.DataFrame:
    """Play one replication of one world: all policies, tuned for its path, on the same noise."""
    world, seed = plan.world(task.world), plan.own_seed(*task)
    candidates = {name: plan.policies[name] for name in first.policies}
    policies = line_up(world, candidates, seed).policies
    players = list(policies.values())
    runs = simulate_all(players, world, seed=seed, checkpoints=CHECKPOINTS, quiet=True)
    return pl.concat(
        [pl.DataFrame(schema=_COLUMNS), *(
            pl.DataFrame(
                {
                    "world": task.world,
                    "policy": name,
                    "horizon": world.horizon,
                    "replication": task.replication,
                    "seed": seed,
                    "round": run.rounds,
                    "regret": run.regret,
                },
                schema=_COLUMNS,
            )
            for name, run in zip(policies, runs, strict=True)
        )]
    )  # fmt: skip


def _length(plan: Plan, name: str, line_ups: Mapping[str, LineUp]) -> int:
    return int(plan.world(name).horizon) * len(line_ups[name].policies)


def _compile(plan: Plan, name: str, ready: LineUp) -> None:
    """Compile what a world needs, on a few rounds; otherwise the time left is the compiler's."""
    world = plan.world(name)
    few = next(iter(world.rounds(plan.seed, 8)))
    for policy in ready.policies.values():
        schedule = schedule_of(world, plan.seed)
        arrivals = None if schedule is None else schedule.next_chunk(few.count_rounds())
        Player(policy, world, plan.seed).play(few, arrivals)
