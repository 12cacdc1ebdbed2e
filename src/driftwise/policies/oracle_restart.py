"""A yardstick: linear optimism that is told when the world changes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.base.card import Card, described
from ..core.base.validation import require_integer
from ..core.compiler.compiled import compilable
from .forgetting.restarts import RestartingAt
from .forgetting.rules import Optimistic

__all__ = ["OracleRestart"]


class _Settings(NamedTuple):
    change_points: Any  # any sequence; kept as a read-only array
    noise: float
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01


@described(
    Card(
        source="a yardstick",
        knows="noise, bound on the parameter, and every change point",
        cost="K d^2; K d if the decision set is fixed; K if its rows lie on the axes",
        guarantee="d sqrt(T) per stationary piece of T rounds",
        plays_ball=True,
    )
)
@compilable
class OracleRestart(RestartingAt, Optimistic, _Settings):
    """Plays as `LinUCB` and forgets everything whenever the world changes: it is told when.

    What nobody can do who does not know the change points: a yardstick for worlds that switch.

    Parameters
    ----------
    change_points
        How many rounds have been played when the world changes, in increasing order.
    noise, action_norm, parameter_norm, ridge, confidence
        As in `LinUCB`.

    Examples
    --------
    >>> import driftwise as dw
    >>> OracleRestart(change_points=[1000, 2000], noise=0.1).change_points
    array([1000, 2000])
    """

    __slots__ = ()

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        change_points: Any,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
    ) -> OracleRestart:
        """Return the policy with δ = 1/T."""
        horizon = require_integer("horizon", horizon, unit="round")
        return cls(change_points, noise, action_norm, parameter_norm, ridge, 1.0 / horizon)
