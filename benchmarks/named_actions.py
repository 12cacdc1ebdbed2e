"""Ten named actions with twenty coefficients each: what a decision and its reward cost, beside a dense layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import driftwise as dw
from driftwise.features import Constant, Encoder, Number, PerAction

from .measurement import Measurement, of_ratio
from .timing import compare

__all__ = ["measure"]

_FIELDS = {f"field {i}": Number(0, 1, alone=False) for i in range(19)}
_OWN = ["context.always", *(f"context.{name}" for name in _FIELDS)]
_NAMES = [f"action {i}" for i in range(10)]
_ENCODER = Encoder(
    context={"always": Constant(alone=False), **_FIELDS}, per_action=PerAction(_OWN, names=_NAMES)
)
_CONTEXT = {name: 0.05 * i for i, name in enumerate(_FIELDS)}
_ACTIONS: dict[str, dict[str, float]] = {name: {} for name in _NAMES}


def measure() -> Iterator[Measurement]:
    """Yield the cost of a decision and its reward, in microseconds and over the dense layout's."""
    ratio = compare(_by_name(), _by_row(), seconds=3.0)
    work = "`AdaptiveUCB`, 10 named actions of 20 coefficients: choose and learn"
    yield of_ratio("named_actions_over_dense", f"{work}, over the dense layout", ratio, rounds=1)
    yield Measurement("named_actions_microseconds", work, 1e6 * ratio.seconds, "µs")


def _by_name() -> Callable[[], None]:
    agent = dw.Agent(dw.AdaptiveUCB(), encoder=_ENCODER)
    agent.warm_up()
    return lambda: agent.learn(agent.choose(context=_CONTEXT, actions=_ACTIONS), 0.5)


def _by_row() -> Callable[[], None]:
    agent = dw.Agent(dw.AdaptiveUCB(), dimension=_ENCODER.dimension)
    agent.warm_up()
    return lambda: agent.learn(agent.choose(_ENCODER.rows(_CONTEXT, _ACTIONS)), 0.5)
