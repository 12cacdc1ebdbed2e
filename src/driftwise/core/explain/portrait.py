"""An agent at a glance: its policy, what it remembers and which actions it holds to be best."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Vector
from ..base.card import policies_inside
from ..base.showing import html_of, plain_number, settings_text, text_of
from ..contract.offers import Offers
from ..contract.unit_ball import UnitBall
from .belief import Belief
from .explaining import score_of

__all__ = ["Portrait", "portrait_of"]

_MOST_ACTIONS = 5
_MOST_DIMENSIONS = 300  # an account of beliefs may take d^3 steps, too many for a glance


class Portrait(NamedTuple):
    """What is shown of an agent."""

    title: str
    facts: list[tuple[str, str]]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()  # the best actions, the best one first

    def as_text(self) -> str:
        """Return it for a terminal."""
        return text_of(*self)

    def as_html(self) -> str:
        """Return it for a notebook."""
        return html_of(*self)


def portrait_of(policy: Any, memory: Any, offers: Offers, n_choices: int) -> Portrait:
    """Return what is shown of an agent; where a policy tells of no beliefs, none are shown.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.SlidingWindowUCB(50, noise=0.1), n_arms=2, is_interpreted=True)
    >>> for reward in (0.2, 0.8, 0.7):
    ...     agent.learn(agent.choose(), reward)
    >>> agent
    Agent: SlidingWindowUCB(window=50, noise=0.1)
      chooses among     2 arms
      decisions         3
      effective memory  3 rounds
      noise             0.1, as it was told
      action  mean  standard error  upper bound
           0   0.5         0.05774        1.316
           1   0.1         0.07071        1.099
    """
    facts = [("chooses among", _offered(offers)), ("decisions", plain_number(n_choices))]
    title = f"Agent: {settings_text(policy)}"
    is_long = offers.n_arms is None and offers.shape[1] > _MOST_DIMENSIONS
    if is_long or not hasattr(policy, "belief_in"):
        return Portrait(title, facts)
    belief: Belief = policy.belief_in(memory)
    rounds = plain_number(float(f"{belief.effective_memory:.3g}"))
    facts.append(("effective memory", f"{rounds} round{'s' * (rounds != '1')}"))
    facts += [("noise", noise)] if (noise := _noise(policy, belief)) else []
    if not isinstance(offers.fixed, np.ndarray):
        return Portrait(title, facts)
    has_arms = offers.n_arms is not None or belief.bonuses is not None
    means = belief.estimate if has_arms else offers.fixed @ belief.estimate
    best = np.argsort(np.where(np.isnan(means), math.inf, -means), kind="stable")[:_MOST_ACTIONS]
    rows = tuple(_row(belief, offers.fixed[arm], int(arm)) for arm in best)
    return Portrait(title, facts, ("action", "mean", "standard error", "upper bound"), rows)


def _row(belief: Belief, action: Vector, arm: int) -> tuple[str, ...]:
    score = score_of(belief, action, arm)
    numbers = score["mean"], score["standard_error"], score["upper_bound"]
    return str(arm), *("unknown" if each is None else f"{each:.4g}" for each in numbers)


def _offered(offers: Offers) -> str:
    n_rows, dimension = offers.shape
    if offers.n_arms is not None:
        return f"{n_rows:,} arms"
    if isinstance(offers.fixed, UnitBall):
        return f"all points of the unit ball in {dimension:,} dimensions"
    if offers.fixed is not None:
        return f"{n_rows:,} actions with {dimension:,} features each"
    return f"what is offered, with {dimension:,} features each"


def _noise(policy: Any, belief: Belief) -> str:
    if "noise" in belief.details:
        learnt = belief.details["noise"]
        return "not known yet" if learnt is None else f"{learnt:.3g}, as it has learnt"
    told = getattr(policy, "noise", None)
    if told is not None:
        return f"{told:g}, as it was told"
    return next(filter(None, (_noise(inside, belief) for inside in policies_inside(policy))), "")
