"""How large an experiment may be: what nobody could wait for is refused before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_integer

__all__ = ["require_feasible", "require_horizon", "require_jobs"]

# About a minute for two arms, and the longest path that is measured before anything is shown.
_LONGEST = 10**9
_MOST_ROUNDS = 10**12  # half a day of one processor
_MOST_RUNS = 10**6  # each leaves rows in the results
_MOST_NUMBERS = 10**8  # rows, one for each checkpoint of each run
_MOST_JOBS = 1024


def require_horizon(name: str, horizon: int) -> int:
    """Return a horizon that can be played, or say what is wrong with it."""
    return require_integer(name, horizon, at_most=_LONGEST, unit="round")


def require_jobs(jobs: int | None) -> None:
    """Refuse more jobs at a time than a machine can start."""
    if jobs is not None:
        require_integer("jobs", jobs, at_most=_MOST_JOBS)


def require_feasible(
    *, horizons: Sequence[int], replications: int, checkpoints: int, n_policies: int = 1
) -> None:
    """Refuse more runs, rounds or numbers than anyone can wait for or keep.

    Parameters
    ----------
    horizons
        One for each world that each of the policies plays in.
    replications, checkpoints
        How often each is played, and at how many rounds the regret is kept.
    n_policies
        How many policies play.

    Examples
    --------
    >>> require_feasible(horizons=[1000], replications=10**12, checkpoints=10)
    Traceback (most recent call last):
    driftwise...ValueError: replications must make at most 1000000 runs in total, got 1000000000000
    """
    n_runs = n_policies * replications
    sizes = (
        ("replications", "runs", _MOST_RUNS, len(horizons)),
        ("replications", "rounds", _MOST_ROUNDS, sum(horizons)),
        ("checkpoints", "numbers", _MOST_NUMBERS, sum(min(checkpoints, each) for each in horizons)),
    )
    for name, what, most, each in sizes:
        if n_runs * each > most:
            raise RuleValueError(name, f"make at most {most} {what} in total", n_runs * each)
