"""What a fixed choice, or a policy whose probabilities are known, would have earned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.base.errors import RuleTypeError
from ..core.base.validation import require_integer, require_known
from ..core.contract.policy import METHODS
from ..logs.log import Log
from .events import Events
from .outcomes import ESTIMATORS
from .preparing import prepare
from .results import Evaluated
from .scoring import evaluated, one_hot

__all__ = ["value"]

_TOLERANCE = 1e-6  # of the sum of probabilities


def value(
    log: Log,
    target: str | int | ArrayLike,
    *,
    estimator: str = "dr",
    window: int = 500,
    limit: float | None = None,
    bounds: ArrayLike | None = None,
    encoder: Any = None,
    wait: float | None = None,
    late: str = "matured",
    level: float = 0.95,
) -> Evaluated:
    r"""Return what a target would have earned in the events of a log, over time and in total.

    Assumes that neither the offers nor the rewards react to what is played: no stock that runs out, no
    customer who tires of an ad.

    Parameters
    ----------
    log
        With propensities: what else could have been chosen, and how probable it was.
    target
        "log" for the log itself; the row, or the name, of one arm for all events; or the
        probabilities of all rows in all events, (n, K), which must depend on the past alone, or
        (K,) if they are the same in all of them.
    estimator
        "dr", doubly robust with a reward model fitted on the past (a ridge regression on a window,
        itself picked by past forecasts), unbiased however the world drifts; "ips", unbiased, without
        a model; "snips", a ratio, a little biased; "switch" and "dros", which cut large weights and
        have no interval because the model, which lags, decides there.
    window
        How many events the value over time averages.
    limit
        Of "switch", the largest weight, 5 by default; of "dros", the shrinkage, 25 by default.
    bounds
        The least and the largest reward that there can be, by declaration and not from the data: then
        ``sequence`` has limits that hold at all times at once, without any approximation.
    encoder
        A `driftwise.features.Encoder`, where the log has dictionaries and not rows.
    wait
        How long rewards are waited for, in units of the log's time.
    late
        What becomes of decisions younger than ``wait`` at the end: "matured" leaves them out,
        "corrected" lets those that have a reward stand for the others. None is taken for zero.
    level
        Of intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import driftwise as dw
    >>> random = np.random.default_rng(0)
    >>> arms = random.integers(2, size=2000)
    >>> log = dw.Log(
    ...     {"actions": ["a", "b"], "action": int(k), "propensities": [0.5, 0.5],
    ...      "reward": float(random.random() < 0.3 + 0.2 * k)}
    ...     for k in arms
    ... )
    >>> found = dw.evaluation.value(log, "b")
    >>> found.low < 0.5 < found.high
    True
    """
    require_known("estimator", estimator, ESTIMATORS)
    prepared = prepare(
        log, encoder=encoder, bounds=bounds, level=level, window=window, wait=wait, late=late
    )
    probabilities, name = _probabilities(target, prepared.events)
    if probabilities is not None and np.isnan(prepared.events.propensity).all():
        raise ValueError(
            "log must have propensities for a target other than itself, got none: how probable a choice "
            "was must be logged with it, and cannot be made up later"
        )
    return evaluated(
        name,
        prepared,
        probabilities,
        f"The mean reward of an event, over the {len(prepared.scored):,} scored events of this log, had "
        f"{name} chosen in each of them"
        + ("." if name != "the log" else ", as it did: a plain mean."),
        estimator=estimator,
        limit=limit,
        warnings=prepared.warnings,
    )


def _probabilities(
    target: str | int | ArrayLike, events: Events
) -> tuple[NDArray[np.float64] | None, str]:
    """Return the probabilities of all rows, and what the target is called."""
    if isinstance(target, str):
        if target == "log":
            return None, "the log"
        if not events.names:
            raise ValueError(f"target must be a row of all decision sets, or 'log', got {target!r}")
        return _fixed(events.names.index(require_known("target", target, events.names)), events)
    if np.ndim(target) == 0:
        return _fixed(require_integer("target", target, at_least=0), events)
    return _given(target, events), "the target"


def _fixed(arm: int, events: Events) -> tuple[NDArray[np.float64], str]:
    least = int(events.sizes.min())
    if arm >= least:
        at = int(np.flatnonzero(events.sizes == least)[0])
        raise ValueError(
            f"target must play what the log offered, one of {least} rows in event {at}, got row {arm}"
        )
    name = repr(events.names[arm]) if events.names else f"row {arm}"
    return one_hot(np.full(len(events), arm), events.actions.shape[1]), name


def _given(target: Any, events: Events) -> NDArray[np.float64]:
    n, most = len(events), events.actions.shape[1]
    given = _as_rows(target, n, most)
    sizes = np.broadcast_to(events.sizes, n)
    outside = (np.nan_to_num(given) * (np.arange(most) >= sizes[:, None])).any(axis=1)
    if outside.any():
        at = int(outside.argmax())
        raise ValueError(
            f"target must play what the log offered, {sizes[at]} rows in event {at}, got others"
        )
    is_wrong = ~((given >= 0.0).all(axis=1) & (np.abs(given.sum(axis=1) - 1.0) <= _TOLERANCE))
    if is_wrong.any():
        at = int(is_wrong.argmax())
        raise ValueError(
            f"target must have probabilities of at least 0 that sum to 1, got {given[at].tolist()} in "
            f"event {at}"
        )
    return given


def _as_rows(target: Any, n: int, most: int) -> NDArray[np.float64]:
    """Return probabilities as an array of one row an event, padded with zeros."""
    says = f"be 'log', an arm, or probabilities of shape ({n}, {most})"
    if isinstance(target, type) or all(hasattr(target, name) for name in METHODS):
        raise RuleTypeError("target", f"{says}; policies are for `advice`", target)
    try:
        given = np.asarray(target, np.float64)
    except (ValueError, TypeError):
        given = np.zeros((n, most))
        try:
            for row, own in zip(given, target, strict=True):
                row[: len(own)] = own
        except (ValueError, TypeError):
            raise TypeError(f"target must {says}, got {type(target).__name__}") from None
    if given.shape == (most,):
        given = np.tile(given, (n, 1))
    if given.shape != (n, most):
        raise ValueError(f"target must be of shape ({n}, {most}), got {given.shape}")
    return given
