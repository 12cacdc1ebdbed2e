"""Saved agents of every policy, and what becomes of them after damage, for tests."""

from __future__ import annotations

import io
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

import driftwise as dw
from driftwise.core.base.arrays import Matrix
from driftwise.core.base.card import plays_arms
from driftwise.registry import all_policies
from tests.making import made

__all__ = [
    "CASES",
    "FUZZ",
    "agent_of",
    "content_of",
    "members_of",
    "packed",
    "refused_or_played",
    "refuses",
]

FUZZ = settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# Each leads to another layout of a memory.
SETS: dict[str, Matrix | None] = {
    "pair": np.eye(2),
    "axes": np.eye(3)[[2, 0, 1, 1]],
    "rows": np.random.default_rng(0).standard_normal((5, 3)),
    "changing": None,
}
POLICIES = {name: made(cls.tuned) for name, cls in all_policies().items()}
POLICIES["AdaptiveUCB, told"] = dw.AdaptiveUCB(parameter_norm=1.0)  # remembers in another way
CASES = [
    (name, kind)
    for name, policy in POLICIES.items()
    for kind in SETS
    if kind != "changing" or not plays_arms(policy)
]


def agent_of(name: str, kind: str) -> dw.Agent:
    """Return an agent that has played some rounds, interpreted: an index out of range then shows."""
    rows = SETS[kind]
    dimension = 3 if rows is None else None
    policy = POLICIES[name]
    agent = dw.Agent(policy, dimension=dimension, decision_set=rows, is_interpreted=True)
    _play(agent, 30)
    return agent


@cache
def content_of(name: str, kind: str) -> bytes:
    """Return the file of such an agent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent"
        agent_of(name, kind).save(path)
        return path.read_bytes()


def members_of(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file."""
    with np.load(io.BytesIO(content)) as file:
        return dict(file)


def packed(members: dict[str, NDArray[Any]]) -> bytes:
    """Return a file of these arrays."""
    stream = io.BytesIO()
    np.savez(stream, **members)  # type: ignore[arg-type]  # no member has the name of an option
    return stream.getvalue()


def refuses(path: Path, content: bytes) -> bool:
    """Return whether a file is refused, in one sentence."""
    path.write_bytes(content)
    try:
        dw.Agent.load(path)
    except (TypeError, ValueError) as error:
        return "\n" not in str(error)
    return False


def refused_or_played(path: Path, content: bytes) -> None:
    """Fail unless a file is refused in one sentence, or is an agent that goes on."""
    if refuses(path, content):
        return
    agent = dw.Agent.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _play(agent, 10)
        except (ArithmeticError, ValueError):
            # No range tells a wrong sum from a right one. The interpreter may say so later, where
            # compiled code gets nan; neither reads memory that is not its own.
            return


def _play(agent: dw.Agent, rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    for _ in range(rounds):
        rows = rng.standard_normal((4, 3)) if agent._offers.fixed is None else None
        agent.learn(agent.choose(rows), float(rng.uniform()))
