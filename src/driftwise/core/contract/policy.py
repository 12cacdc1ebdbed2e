"""What a policy must offer. The engine is written against this and names no policy."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ..base.arrays import Matrix, Vector
from ..compiler.compiled import compilable

__all__ = ["METHODS", "Choice", "Forgetful", "Policy", "is_accepted"]

METHODS = ("start", "restart", "choose", "learn")  # of a `Policy`: what the engine calls


@compilable
class Choice(NamedTuple):
    """What was chosen, and what can no longer be known when the reward comes late.

    A policy that must remember more (a block, an expert) returns a named tuple of its own that
    begins with these three fields.
    """

    arm: int  # row of the decision set
    propensity: float  # probability of this row, given memory and decision set; nan: not known
    value: float  # the score that won, in units of reward; nan where there is none


class Policy(Protocol):
    """Settings plus rules. Immutable: all that changes lives in a memory.

    ``restart``, ``choose`` and ``learn`` run interpreted and compiled, with the same bits. They
    raise nothing, and use loops, ``math`` and ``x * x`` rather than array expressions, ``**`` or
    ``np.sum``, which round differently when compiled. Exponentials and logarithms are those of
    `driftwise.core.compiler.elementary`, which have the same bits on every machine. What outlives a
    call they keep in the memory that ``start`` allocated; ``choose``, which may write nothing there,
    may allocate scratch for itself, which costs time.

    A policy whose choices hold more than a `Choice`, such as an index into its memory, offers
    ``accepts(choice) -> bool``, in Python only: a record from outside may have been damaged.

    A policy that draws an arm by chances that it keeps offers a rule ``chance_of(memory, arm) -> float``:
    `driftwise.Exploring` around it then has the propensities of least variance.

    A memory that holds indices or counts, such as a slot or an arm, returns the ranges in which they must
    lie from a method ``_limits() -> Limits``, in Python only: a file may have been damaged.
    See `driftwise.core.base.limits.keeps_limits`. One with arrays that grow with the dimension may say how
    coordinates are forgotten and added: see `driftwise.core.contract.coordinates`.

    Three rules may be offered, compiled like the others; a policy without them pays nothing:

    ``expect(memory, action, choice, luck)``
        Another choice is due, and this decision has no reward yet: it is in flight. Called just before
        that choice, so never where every reward comes before the next choice.
    ``settle(memory, action, choice, luck)``
        The reward has come, and ``learn`` follows; or it was given up, and nothing follows. Of a
        decision that was never expected, or has been settled, it changes nothing: such decisions come from
        other agents, or are learnt twice. ``luck`` tells them apart: it is that of ``expect`` and of ``learn``.
    ``tick(memory)``
        A round has passed in which nothing was learnt: a window moves on, a discount fades.

    ``expect`` and ``settle`` write only what is in flight, which is the field ``pending`` of the memory or
    of memories inside it; ``choose`` reads it, ``learn`` may write it, too, ``restart`` empties it. What is expected
    and never settled must fade by itself.

    A policy that plays arms (rows of one decision set that never changes) rather than actions
    (vectors) says so on its card; see `driftwise.core.base.card.described`.
    """

    def start(self, n_arms: int, dimension: int, fixed: Matrix | None) -> Any:
        """Allocate a memory, a named tuple of arrays; runs in Python only.

        ``fixed`` is the decision set if it is the same in every round, rows or a `UnitBall`;
        otherwise ``n_arms`` may be 0, for unknown. The engine calls ``restart`` before anything
        else.
        """

    def restart(self, memory: Any, luck: int) -> None:
        """Write the state in which nothing has been learnt."""

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Any:
        """Return a `Choice` among the rows of ``actions``; write nothing.

        A ball is offered as one row, into which the point to play is written.
        """

    def learn(self, memory: Any, action: Vector, choice: Any, reward: float, luck: int) -> None:
        """Take in the reward of a choice made now or long ago; ``action`` is the row played."""


class Forgetful(Policy, Protocol):
    """A policy with one setting that says how fast it forgets: what Bandit-over-Bandit tunes."""

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another window, discount or restart period."""

    def roomiest(self, settings: Any) -> Any:
        """Return the setting whose memory has room for all the others; runs in Python only."""

    def candidates(self, block_length: int) -> Any:
        """Return the settings worth trying in blocks of this length; runs in Python only."""


def is_accepted(policy: Any, choice: Any) -> bool:
    """Return whether a policy can learn from what was kept as its choice; in Python only."""
    if getattr(choice, "_fields", ())[:3] != Choice._fields:
        return False
    accepts = getattr(policy, "accepts", None)
    return accepts is None or bool(accepts(choice))
