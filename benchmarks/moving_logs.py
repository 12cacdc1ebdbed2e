"""Logs of worlds that move, of which everything is known: tests and measurements compare with the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import driftwise as dw
from driftwise.evaluation.arrivals import arrivals_of, scoring_of
from driftwise.evaluation.events import Events
from driftwise.evaluation.preparing import Prepared

Numbers = NDArray[np.float64]


class Moving(NamedTuple):
    """A log as arrays, and what nobody would know."""

    events: Events
    means: Numbers  # (n, K)

    def prepared(self, **options: Any) -> Prepared:
        """Return the log as evaluations take it."""
        chosen = {"bounds": None, "level": 0.95, "window": 300} | options
        scoring = scoring_of(self.events.reward, self.events.arrivals, None, "matured")
        return Prepared(self.events, scoring, **chosen)


def arms_log(
    seed: int,
    n: int = 1000,
    n_arms: int = 4,
    share: float = 0.3,
    *,
    is_click: bool = True,
    period: float = 900.0,  # of the waves; infinite for a world that stands still
) -> Moving:
    """Return arms whose means wave, logged by one that lags behind and explores a share."""
    random = np.random.default_rng(seed)
    t = np.arange(n)[:, None]
    phase = 2.0 * np.pi * (t / period + np.arange(n_arms) / n_arms)
    means = 0.5 + 0.3 * np.sin(phase)
    favourite = means[np.maximum(t[:, 0] - 150, 0)].argmax(axis=1)
    propensities = np.full((n, n_arms), share / n_arms)
    propensities[np.arange(n), favourite] += 1.0 - share
    chosen = (random.random(n)[:, None] > np.cumsum(propensities, axis=1)).sum(axis=1)
    chosen = np.minimum(chosen, n_arms - 1)
    of_chosen = means[np.arange(n), chosen]
    reward = (
        (random.random(n) < of_chosen).astype(float)
        if is_click
        else of_chosen + 0.5 * random.standard_normal(n)
    )
    return Moving(_events(np.eye(n_arms)[None], chosen, propensities, reward), means)


def linear_log(
    seed: int,
    kind: str,
    n: int = 4000,
    dimension: int = 4,
    n_arms: int = 5,
    noise: float = 0.5,
) -> Moving:
    """Return fresh unit rows in every event, chosen uniformly, in one of the four worlds."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((n, n_arms, dimension))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    parameter = path(random, kind, n, dimension)
    means = np.einsum("tkd,td->tk", rows, parameter)
    chosen = random.integers(n_arms, size=n)
    reward = means[np.arange(n), chosen] + noise * random.standard_normal(n)
    propensities = np.full((n, n_arms), 1.0 / n_arms)
    return Moving(_events(rows, chosen, propensities, reward), means)


def path(random: np.random.Generator, kind: str, n: int, dimension: int) -> Numbers:
    """Return parameters of length about 1: rotating, switching, walking or standing still."""
    if kind == "rotating":
        angle = 2.0 * np.pi * np.arange(n) / 1500.0 + random.uniform(0.0, 2.0 * np.pi)
        whole = np.zeros((n, dimension))
        whole[:, 0], whole[:, 1] = np.cos(angle), np.sin(angle)
        return whole
    if kind == "walk":
        steps = random.standard_normal((n, dimension)) * np.sqrt(1.0 / (800.0 * dimension))
        steps[0] = random.standard_normal(dimension) / np.sqrt(dimension)
        walked = np.cumsum(steps, axis=0)
        return np.asarray(walked / np.maximum(1.0, np.linalg.norm(walked, axis=1, keepdims=True)))
    pieces = 5 if kind == "switching" else 1
    points = random.standard_normal((pieces, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return np.repeat(points, -(-n // pieces), axis=0)[:n]


def _events(rows: Numbers, chosen: Any, propensities: Numbers, reward: Numbers) -> Events:
    n = len(reward)
    nan = np.full(n, np.nan)
    return Events(
        np.ascontiguousarray(rows),
        np.full(len(rows), rows.shape[1]),
        np.asarray(chosen, np.int64),
        propensities[np.arange(n), chosen],
        propensities,
        reward,
        nan,
        arrivals_of(reward, nan, nan),
        (),
        (),
    )


def as_log(moving: Moving, **columns: Any) -> dw.Log:
    """Return the same as a log; ``columns`` hold one more value an event."""
    events = moving.events
    fixed = events.fixed
    rows = []
    for t in range(len(events)):
        row: dict[str, Any] = {
            "action": int(events.chosen[t]),
            "propensities": events.propensities[t].tolist(),
            "reward": float(events.reward[t]),
        }
        if fixed is None:
            row["decision_set"] = events.actions[t].tolist()
        else:
            row["actions"] = [f"arm {k}" for k in range(len(fixed))]
        rows.append(row | {name: values[t] for name, values in columns.items()})
    return dw.Log(rows)
