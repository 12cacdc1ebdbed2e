from __future__ import annotations

from typing import Any

import pytest

from driftwise.experiments.spec.limits import require_feasible, require_horizon, require_jobs

SIZE: dict[str, Any] = {"horizons": [1000], "replications": 10, "checkpoints": 10}


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ({"replications": 10**6, "n_policies": 2}, "replications must make at most 1000000 runs"),
        ({"horizons": [10**9] * 101}, "replications must make at most 1000000000000 rounds"),
        ({"horizons": [10**8], "checkpoints": 10**12}, "checkpoints must make at most 100000000 n"),
    ],
)
def test_what_nobody_can_wait_for_is_refused(others: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        require_feasible(**(SIZE | others))


def test_what_is_large_but_can_be_played_is_not_refused() -> None:
    require_feasible(**SIZE, n_policies=10_000)
    require_feasible(horizons=[10**9] * 100, replications=10, checkpoints=50)
    require_feasible(horizons=[100], replications=10**6, checkpoints=10**12)
    assert require_horizon("horizon", 10**9) == 10**9
    require_jobs(1024)
    require_jobs(None)


def test_horizons_and_jobs_have_an_end() -> None:
    with pytest.raises(
        ValueError, match=r"^horizon must be at most 1000000000 rounds, got 1000000001$"
    ):
        require_horizon("horizon", 10**9 + 1)
    with pytest.raises(ValueError, match=r"^jobs must be at most 1024, got 1025$"):
        require_jobs(1025)
