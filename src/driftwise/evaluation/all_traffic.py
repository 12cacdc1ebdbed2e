"""What policies would have earned with all of the traffic: in worlds that the log speaks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import require_integer
from ..core.engine.simulate import simulate_all
from ..core.randomness.seeds import generator, named_seed
from ..logs.log import Log
from .averages import quantile
from .options import Options, begun, require_policies
from .posterior import Check, Posterior, Shift
from .preparing import Prepared
from .results import Course, Difference, Evaluated, Evaluation, spelled
from .scoring import evaluated
from .share import largest_rate
from .side_by_side import of_the_log, walks
from .walking import ADVICE, SHARE

__all__ = ["all_traffic"]

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST_POINTS = 100  # of a value over time
_REJECTED = 3.0  # standard errors between the model and real rewards


def all_traffic(
    log: Log, policies: Mapping[str, Any], *, draws: int = 20, **options: Unpack[Options]
) -> Evaluation:
    r"""Return what each policy would have earned had it decided in every event, learning from its own choices.

    A log does not tell that without a model, since it holds one reward an event. Here rewards are linear
    in the actions, :math:`r_t = b_t + x_t'\theta_t + \varepsilon_t`, with a parameter and a level that walk at
    random, and the log says how fast. Worlds are drawn from what the log leaves possible, whole paths and not their mean,
    which would be too easy to follow; every policy plays in every one of them.

    The model is then checked with real rewards: :math:`G` from one half of the events forecasts the other
    half, and with the choices of `advice`, :math:`\pi_t`,

    .. math:: \text{shift} = \frac{1}{n} \sum_t \frac{\pi_t(a_t)}{p_t(a_t)} (r_t - G_t(a_t)).

    The interval is :math:`1.96 \sqrt{s^2 (1 + 1/\text{draws}) + \text{se}^2} + |\text{shift}|` on either side,
    s the spread between worlds. If the shift is more than three standard errors from zero, the model is
    rejected: a warning says so first, with what `advice` and `share` say, which need none.

    Parameters
    ----------
    log
        With propensities, or there is no interval.
    policies
        By name, as for `advice`.
    draws
        How many worlds to draw.
    options
        As for `advice`; the worlds are what ``backend`` and ``jobs`` share out.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> random = np.random.default_rng(0)
    >>> log = dw.Log(
    ...     {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5],
    ...      "reward": float(random.random() < 0.3 + 0.4 * k)}
    ...     for k in random.integers(2, size=2000)
    ... )
    >>> found = dw.evaluation.all_traffic(log, {"mine": dw.UCB1()}, draws=4)["mine"]
    >>> found.low < 0.67 < found.high, found.details["is_rejected"]
    (True, False)
    """
    draws = require_integer("draws", draws, at_least=2)
    prepared, work = begun(log, options)
    chosen = require_policies(policies)
    events = prepared.events
    advised = {
        name: one.probabilities for name, one in walks(prepared, work, chosen, ADVICE).items()
    }
    posterior = Posterior(events)
    shared = _Shared(posterior, tuple(chosen.values()), _marks(len(events)), work.seed)
    found = work.each(
        partial(_played, shared),
        {str(j): j for j in range(draws)},
        len(events) * len(chosen),
        "Playing in worlds that the log speaks for",
    )
    earned = np.stack(list(found.values()))  # (draws, policies, marks): so far
    check = Check(prepared, posterior)
    shifts = {name: check.shift(own) for name, own in advised.items()}
    model_free = _model_free(prepared, work, chosen, advised)
    own = of_the_log(prepared)
    results = {
        name: _result(name, prepared, earned[:, i], shifts[name], model_free[name])
        for i, name in enumerate(chosen)
    }
    columns = {name: earned[:, i, -1] / len(events) for i, name in enumerate(chosen)}
    differences = [
        *(
            _against_log(prepared, results[name], columns[name], shifts[name], own)
            for name in chosen
        ),
        *(
            _difference(
                results[first],
                results[second],
                float((gap := columns[first] - columns[second]).mean()),
                _halfwidth(gap, check.shift(advised[first] - advised[second]), prepared.level),
            )
            for first, second in combinations(chosen, 2)
        ),
    ]
    return Evaluation("all traffic", results, own, differences, prepared.warnings)


class _Shared(NamedTuple):
    """What the playing of every world needs."""

    posterior: Posterior
    policies: tuple[Any, ...]
    marks: Integers
    seed: int


def _marks(n: int) -> Integers:
    count = min(_MOST_POINTS, n)
    return np.unique(np.rint(np.arange(1, count + 1) * (n / count)).astype(np.int64))


def _played(shared: _Shared, j: int) -> Numbers:
    """Return what each policy has earned so far at each mark in the j-th world, in expectation."""
    posterior, policies, marks, seed = shared
    world = posterior.world(generator(seed, f"world {j}"))
    own = named_seed(seed, f"playing in world {j}")
    runs = simulate_all(policies, world, seed=own, checkpoints=marks)
    best = np.cumsum(world.best)[marks - 1]
    return np.stack([best - run.regret for run in runs])


def _model_free(
    prepared: Prepared, work: Any, chosen: dict[str, Any], advised: dict[str, Numbers]
) -> dict[str, tuple[Evaluated, ...]]:
    """Return what advice and, where it can be, share say."""
    found = {name: [evaluated("advice", prepared, own, "")] for name, own in advised.items()}
    if not np.isnan(prepared.events.propensity).any():
        rate = largest_rate(prepared.events)
        for name, one in walks(prepared, work, chosen, SHARE, rate).items():
            found[name].append(evaluated("share", prepared, one.probabilities, ""))
    return {name: tuple(each) for name, each in found.items()}


def _halfwidth(values: Numbers, shift: Shift, level: float, error: float = 0.0) -> float:
    """Return half of the interval around the mean of values, one for each world."""
    spread = float(values.std(ddof=1))
    variance = spread * spread * (1.0 + 1.0 / len(values)) + shift.error**2 + error**2
    return quantile(level) * math.sqrt(variance) + abs(shift.value)


def _result(
    name: str,
    prepared: Prepared,
    earned: Numbers,  # (draws, marks)
    shift: Shift,
    model_free: Sequence[Evaluated],
) -> Evaluated:
    n, draws = len(prepared.events), len(earned)
    values = earned[:, -1] / n
    value, half = float(values.mean()), _halfwidth(values, shift, prepared.level)
    told = model_free[0]
    is_checked = not math.isnan(told.low)
    is_rejected = is_checked and abs(shift.z) > _REJECTED
    said = [*told.warnings]
    if is_rejected:
        others = ", ".join(
            f"{one.name} {spelled(one.value, one.low, one.high)}" for one in model_free
        )
        said.insert(
            0,
            f"The model is rejected: real rewards are {shift.value:+.3g} off (z = {shift.z:.1f}). Rely on what "
            f"needs no model: {others}.",
        )
    if not is_checked:
        half = math.nan
        said.append("The model cannot be checked with real rewards, so no interval is given.")
    spread = float(values.std(ddof=1))
    details: dict[str, Any] = {
        "draws": draws,
        "spread": spread,
        "shift": shift.value,
        "shift_error": shift.error,
        "z": shift.z,
        "is_rejected": is_rejected,
        **{one.name: {"value": one.value, "low": one.low, "high": one.high} for one in model_free},
    }
    return Evaluated(
        name,
        value,
        value - half,
        value + half,
        f"The mean reward of an event, over all {n:,} events of this log, had {name} decided in each of them "
        f"and learnt from its own choices; in {draws} worlds drawn from a model that the log was fitted with.",
        tuple(said),
        n,
        told.effective,
        _course(prepared, earned, shift, is_checked=is_checked),
        details=details,
        instead=tuple(model_free) if is_rejected else (),
    )


def _course(prepared: Prepared, earned: Numbers, shift: Shift, *, is_checked: bool) -> Course:
    marks = _marks(len(prepared.events))
    lengths = np.diff(marks, prepend=0)
    pieces = np.diff(earned, axis=1, prepend=0.0) / lengths
    value = pieces.mean(axis=0)
    half = np.array([_halfwidth(piece, shift, prepared.level) for piece in pieces.T])
    half = half if is_checked else np.full(len(half), math.nan)
    kind = f"mean of each {lengths.max():,} events, {prepared.level:.0%} interval for one look"
    return Course(kind, marks, value, value - half, value + half)


def _against_log(
    prepared: Prepared, mine: Evaluated, values: Numbers, shift: Shift, own: Evaluated
) -> Difference:
    error = (own.high - own.low) / (2.0 * quantile(prepared.level))
    half = _halfwidth(values, shift, prepared.level, error)
    return _difference(mine, own, mine.value - own.value, half)


def _difference(first: Evaluated, second: Evaluated, value: float, half: float) -> Difference:
    if math.isnan(first.low) or math.isnan(second.low):
        half = math.nan
    is_rejected = any(each.details.get("is_rejected", False) for each in (first, second))
    return Difference(
        first.name, second.name, value, value - half, value + half, is_rejected=is_rejected
    )
