"""Logs to test with: any that Hypothesis can think of, and those of policies that explore."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

Event = dict[str, Any]

_numbers = st.floats(-1e100, 1e100)
_coordinates = st.floats(-1e30, 1e30)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_values = st.recursive(
    st.none() | st.booleans() | _numbers | st.integers(-(2**63), 2**63) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=5,
)
_objects = st.dictionaries(_texts, _values, max_size=3)


@st.composite
def event(draw: st.DrawFn, time: float | None) -> Event:
    """Return an event of any form that a log takes."""
    size = draw(st.integers(1, 4))
    names = st.lists(_texts, min_size=size, max_size=size, unique=True)
    full: Event = {
        "event_id": draw(st.none() | _texts),
        "time": time,
        "context": draw(st.none() | _objects),
        "actions": draw(
            st.none()
            | st.lists(_objects, min_size=size, max_size=size)
            | names
            | names.flatmap(lambda keys: st.fixed_dictionaries(dict.fromkeys(keys, _objects)))
        ),
        "decision_set": draw(
            st.none()
            | st.integers(1, 3).flatmap(
                lambda d: st.lists(
                    st.lists(_coordinates, min_size=d, max_size=d), min_size=size, max_size=size
                )
            )
        ),
        "action": draw(st.integers(0, size - 1)),
        "propensity": draw(st.none() | st.floats(0.0, 1.0, exclude_min=True)),
        "reward": draw(st.none() | _numbers),
        "reward_time": None if time is None else draw(st.none() | st.floats(time, 1e100)),
        "policy": draw(st.none() | _texts),
        "luck": draw(st.none() | st.integers(0, 2**63 - 1)),
        "choice": draw(st.none() | _objects),
        "forgotten": draw(
            st.none() | st.lists(_texts, max_size=2) | st.dictionaries(_texts, st.integers(0, 9))
        ),
    }
    if draw(st.booleans()):
        rest = st.lists(st.floats(0.0, 1.0), min_size=size, max_size=size)
        full["propensities"] = draw(rest)
        full["propensity"] = full["propensity"] or 0.5
    return {name: value for name, value in full.items() if value is not None}


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Return some events, in the order of time."""
    times = sorted(draw(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5)))
    return [draw(event(draw(st.sampled_from([time, None])))) for time in times]


def epsilon_greedy(
    seed: int, n: int = 3000, n_arms: int = 4, share: float = 0.2, *, wrong: float = 0.0
) -> list[Event]:
    """Return the log of a policy with a favourite that changes at times.

    ``wrong`` is what the log leaves out of the favourite's propensity: share / n_arms for the frequent
    error, 1 - eps instead of 1 - eps + eps / K.
    """
    random = np.random.default_rng(seed)
    favourite, events = 0, []
    names = [f"arm {k}" for k in range(n_arms)]
    for t in range(n):
        if random.random() < 0.003:
            favourite = int(random.integers(n_arms))
        explores = random.random() < share
        action = int(random.integers(n_arms)) if explores else favourite
        propensities = [share / n_arms] * n_arms
        propensities[favourite] += 1.0 - share - wrong
        events.append(
            {
                "event_id": str(t),
                "time": float(t),
                "actions": names,
                "action": action,
                "propensity": propensities[action],
                "propensities": propensities,
                "reward": float(random.random() < 0.3 + 0.2 * (action == favourite)),
                "reward_time": t + float(random.exponential(5.0)),
            }
        )
    return events
