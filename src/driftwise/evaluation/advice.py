"""What policies would have earned had they advised in every event, having seen the log so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from ..logs.log import Log
from .options import Options, begun, require_policies
from .results import Evaluation
from .side_by_side import side_by_side, walks
from .walking import ADVICE

__all__ = ["advice"]


def advice(log: Log, policies: Mapping[str, Any], **options: Unpack[Options]) -> Evaluation:
    r"""Return what each policy would have earned, had it chosen in each event after learning the log so far.

    A policy learns from all events, with the action and the reward of the log, each when its reward
    had arrived. Before that it is asked what it would choose, with probabilities π_t, and that is
    scored by a doubly robust pseudo-outcome

    .. math:: \phi_t = \sum_k \pi_t(k) g_t(k) + \frac{\pi_t(a_t)}{p_t(a_t)} (r_t - g_t(a_t)),

    with a model g_t of rewards that is fitted on the past. Its mean is unbiased however the world
    drifts: π_t and g_t depend on earlier events only. It is what the first decision after a takeover at a
    random time is worth; the policy does not reap what it would itself have explored.

    Parameters
    ----------
    log
        With propensities, or there is no interval.
    policies
        By name; "log" is taken, and ``compare("mine", "log")`` says how much more a policy brings than
        what was done.
    options
        ``window``, ``bounds``, ``encoder``, ``wait``, ``late``, ``level`` as for `value`; ``seed``, 0 by default;
        ``backend``, ``jobs``, ``scheduler`` say where policies are played, threads by default;
        ``quiet=True`` shows no progress, of which there is a bar after two seconds, on a terminal and in a
        notebook.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> random = np.random.default_rng(0)
    >>> log = dw.Log(
    ...     {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5],
    ...      "reward": float(random.random() < 0.3 + 0.4 * (k == t // 1000))}
    ...     for t, k in enumerate(random.integers(2, size=2000))
    ... )
    >>> found = dw.evaluation.advice(log, {
    ...     "forgets": dw.SlidingWindowUCB(window=100, noise=0.5),
    ...     "remembers": dw.LinUCB(noise=0.5),
    ... })
    >>> found["forgets"].low > found["remembers"].value
    True
    >>> print(found.compare("forgets", "log").says)
    forgets does better than the log: 0.2... [0.1..., 0.2...] per event.
    """
    prepared, work = begun(log, options)
    chosen = require_policies(policies)
    n = len(prepared.scored)
    return side_by_side(
        "advice",
        prepared,
        {name: one.probabilities for name, one in walks(prepared, work, chosen, ADVICE).items()},
        lambda name: (
            f"The mean reward of an event, over the {n:,} scored events of this log, had {name} chosen in "
            "each of them, having learnt until then from all that the log chose and earned."
        ),
    )
