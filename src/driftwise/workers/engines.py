"""Where cells are played: threads, processes, or a cluster of Dask or Ray, all through joblib.

Nothing here schedules work itself: joblib hands cells to an engine that exists.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Literal, get_args

import cloudpickle
import joblib

from ..core.base.validation import require_integer, require_known

__all__ = ["BACKENDS", "Backend", "engine", "require_cluster"]

Backend = Literal["loky", "threading", "dask", "ray"]
BACKENDS: tuple[str, ...] = get_args(Backend)
_CLUSTERS = ("dask", "ray")
_WAVE = 4  # tasks per job that are handed to an engine at a time, if it answers all at once only

Play = Callable[[Any], Any]
Engine = Callable[[Play, Sequence[Any]], Generator[Any, None, None]]


@contextmanager
def engine(
    backend: str,
    jobs: int | None,
    scheduler: str | None = None,
    modules: Sequence[ModuleType] = (),
) -> Iterator[Engine]:
    """Yield a function that plays tasks and yields their results as they are finished.

    Parameters
    ----------
    backend
        "threading", "loky" for processes, "dask" or "ray" for a cluster.
    jobs
        How many tasks to play at a time; as many as there are processors by default. On a
        cluster, as many as it has.
    scheduler
        The address of a cluster; if left out, Dask and Ray start one on this machine.
    modules
        Modules that workers cannot import: their classes are sent along with the tasks.
    """
    require_known("backend", backend, BACKENDS)
    if jobs is not None:
        require_integer("jobs", jobs)
    require_cluster(backend, scheduler)
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    with _connected(backend, jobs, scheduler), joblib.parallel_config(backend):
        # A cluster knows how many it has; here, -1 stands for all processors.
        n_jobs = -1 if jobs is None else jobs
        if backend == "threading":
            yield lambda play, tasks: _results(play, tasks, n_jobs)
        else:
            # Packed here and unpacked there: Dask, Ray and joblib pickle in ways of their own, and
            # not all of them send the classes of a module that the other side does not have.
            yield lambda play, tasks: _results(
                _play_packed, [cloudpickle.dumps((play, task)) for task in tasks], n_jobs
            )


def require_cluster(backend: str, scheduler: str | None) -> None:
    """Refuse an address that nothing can listen at."""
    if scheduler is not None and backend not in _CLUSTERS:
        raise ValueError(
            f"scheduler must be left out with the backend {backend}, got {scheduler!r}"
        )


def _results(play: Play, tasks: Sequence[Any], jobs: int) -> Generator[Any, None, None]:
    try:
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="all")
    except ValueError:
        # Ray's engine answers with whole lists only, so it is asked for short ones.
        yield from _in_waves(play, tasks, jobs)
        return
    results = parallel(joblib.delayed(play)(task) for task in tasks)
    try:
        yield from results
    finally:
        with warnings.catch_warnings():
            # Closing early is what Ctrl-C is for; joblib would warn of tasks that never ran.
            warnings.simplefilter("ignore")
            results.close()


def _in_waves(play: Play, tasks: Sequence[Any], jobs: int) -> Iterator[Any]:
    parallel = joblib.Parallel(n_jobs=jobs)
    size = _WAVE * joblib.effective_n_jobs(jobs)
    for first in range(0, len(tasks), size):
        yield from parallel(joblib.delayed(play)(task) for task in tasks[first : first + size])


@contextmanager
def _connected(backend: str, jobs: int | None, scheduler: str | None) -> Iterator[None]:
    """Hold the connection to a cluster, and end what was started for it."""
    if backend == "dask":
        with _imported("dask"):
            from distributed import Client

        where = (
            {"address": scheduler} if scheduler else {"n_workers": jobs, "threads_per_worker": 1}
        )
        try:
            client: Any = Client(**where, set_as_default=True)  # type: ignore[no-untyped-call]  # Dask has no types
        except OSError as error:
            raise OSError(
                f"scheduler must be the address of a Dask scheduler that answers, got {scheduler!r} "
                f"({error})"
            ) from None
        with client:
            yield
    elif backend == "ray":
        with _imported("ray"):
            import ray
            from ray.util.joblib import register_ray

        ray.init(address=scheduler, num_cpus=None if scheduler else jobs, log_to_driver=False)
        try:
            register_ray()  # type: ignore[no-untyped-call]  # Ray has no types here
            yield
        finally:
            ray.shutdown()
    else:
        yield


def _play_packed(packed: bytes) -> Any:
    play, task = cloudpickle.loads(packed)
    return play(task)


@contextmanager
def _imported(extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ValueError(
            f"backend {extra} must be installed first: pip install 'driftwise[{extra}]' ({error})"
        ) from None
