"""What may be said to every evaluation of policies: about the log, and about who does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, TypedDict, TypeVar

from numpy.typing import ArrayLike

from ..core.base.errors import RuleTypeError
from ..core.base.validation import require_integer
from ..core.base.waiting import Waiting
from ..core.contract.policy import METHODS
from ..logs.log import Log
from ..workers.engines import engine
from .preparing import Prepared, prepare

__all__ = ["Options", "Work", "begun", "require_policies"]

Task = TypeVar("Task")
Found = TypeVar("Found")


class Options(TypedDict, total=False):
    """All that `advice`, `share`, `replay` and `all_traffic` take by name."""

    window: int  # these six as for `value`
    bounds: ArrayLike | None
    encoder: Any
    wait: float | None
    late: str
    level: float
    seed: int  # of all randomness, 0 by default
    backend: str  # where the work is done: "threading" by default, "loky", "dask" or "ray"
    jobs: int | None  # how many tasks at a time; as many as there are processors by default
    scheduler: str | None  # the address of a cluster
    quiet: bool  # whether to show no progress; False by default


class Work(NamedTuple):
    """Who does the work, and from which seed."""

    seed: int
    backend: str
    jobs: int | None
    scheduler: str | None
    quiet: bool

    def each(
        self,
        play: Callable[..., Found],
        tasks: Mapping[str, Task],
        rounds: int,  # of one task, for the progress
        says: str,
        *,
        counts: bool = False,  # whether play can be told, as ``counted=``, whom to tell of its rounds
    ) -> dict[str, Found]:
        """Play all tasks and return what each found, in their order whoever was finished first."""
        found: dict[str, Found] = {}
        # What other processes play is counted here, when all of it is done.
        counts = counts and self.backend == "threading"
        with (
            Waiting(rounds * len(tasks), says, quiet=self.quiet) as waiting,
            engine(self.backend, self.jobs, self.scheduler) as play_all,
        ):
            own = partial(play, counted=waiting.advance) if counts else play
            named = [(own, name, task) for name, task in tasks.items()]
            with closing(play_all(_play, named)) as results:
                for name, one in results:
                    found[name] = one
                    waiting.advance(0 if counts else rounds)
        return {name: found[name] for name in tasks}


def _play(task: tuple[Callable[[Any], Any], str, Any]) -> tuple[str, Any]:
    play, name, own = task
    return name, play(own)


_DEFAULTS: Options = {
    "window": 500, "bounds": None, "encoder": None, "wait": None, "late": "matured", "level": 0.95,
    "seed": 0, "backend": "threading", "jobs": None, "scheduler": None, "quiet": False,
}  # fmt: skip


def begun(log: Log, given: Options) -> tuple[Prepared, Work]:
    """Return a log that is ready to be scored, and who does the work."""
    unknown = given.keys() - _DEFAULTS.keys()
    if unknown:
        known = ", ".join(_DEFAULTS)
        raise TypeError(f"options must be some of {known}, got {sorted(unknown)[0]}")
    options: dict[str, Any] = {**_DEFAULTS, **given}
    work = Work(*(options.pop(name) for name in Work._fields))
    require_integer("seed", work.seed, at_least=0)
    return prepare(log, **options), work


def require_policies(policies: Mapping[str, Any]) -> dict[str, Any]:
    """Return policies by name, or say what is wrong with them."""
    if not isinstance(policies, Mapping) or not policies:
        raise RuleTypeError(
            "policies", 'be policies by name, such as {"mine": dw.AdaptiveUCB()}', policies
        )
    for name, policy in policies.items():
        if not isinstance(name, str) or not name:
            raise RuleTypeError("policies", "have strings as names", name)
        if name == "log":
            raise ValueError("policies must not be called 'log', which is the log itself, got one")
        if isinstance(policy, type) or not all(hasattr(policy, each) for each in METHODS):
            raise RuleTypeError("policies", f"be policies, {name!r} too", policy)
    return dict(policies)
