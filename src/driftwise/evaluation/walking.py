"""A policy that walks along a log: what it would choose in every event, from what it knew by then."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.base.arrays import Matrix, Vector
from ..core.compiler.borrowing import borrowed
from ..core.compiler.compiled import compilable, compiled, has_namesake, inlined, version_for
from ..core.compiler.hints import natural
from ..core.compiler.words import count_words, read_words, write_words
from ..core.contract import optional
from ..core.contract.played import as_played
from ..core.contract.rows import is_row, no_such_arm
from ..core.engine.starting import started
from ..core.randomness import draws
from ..core.randomness.seeds import generator, luck_of
from .events import Events

__all__ = ["ADVICE", "REPLAY", "SHARE", "Walk", "walk"]

ADVICE, SHARE, REPLAY = 0, 1, 2  # which events a policy learns from; see `walk`
_STRETCH = 4096  # events between two words of how far it has come


@compilable
class Logged(NamedTuple):
    """What the loop needs to know about a log."""

    actions: NDArray[np.float64]  # (n, K, d); (1, K, d) if the decision set never changes
    sizes: NDArray[np.int64]  # (n,) or (1,)
    chosen: NDArray[np.int64]  # (n,)
    propensity: Vector  # (n,)
    reward: Vector  # (n,)
    order: NDArray[np.int64]  # (m,), events in the order in which their rewards came
    ends: NDArray[np.int64]  # (n,), how many of them had come before the next decision
    before: NDArray[np.int64]  # (n,), the decision before which the reward had come

    def offer_of(self, t: int) -> NDArray[np.float64]:
        """Return the decision set of an event."""
        row = t if self.sizes.size > 1 else 0
        return self.actions[row, : self.sizes[row]]


class Walk(NamedTuple):
    """What a policy would have done."""

    probabilities: Matrix  # (n, K): of each row, given the luck of the event
    is_learnt: NDArray[
        np.bool
    ]  # (n,): whether the policy learns from the event when its reward comes
    choice: NDArray[np.int64]  # (n,): what it chose


def walk(
    policy: Any, events: Events, kind: int, rate: float = 1.0, seed: int = 0, *,
    is_interpreted: bool = False, counted: Callable[[int], None] | None = None,
) -> Walk:  # fmt: skip
    """Ask a policy in every event, and let it learn whatever had arrived by then.

    ``ADVICE``
        It learns from every event, as if it had chosen what the log did.
    ``SHARE``
        It learns from an event with probability rate pi(a) / p, of which a coin decides: then every
        event is its own with probability ``rate``, and the arm has the law of its choice. In others
        it is told that time passes.
    ``REPLAY``
        It learns from those events in which it chooses what the log did, and no time passes in others.

    ``counted`` is told of every few thousand events.
    """
    n, most = len(events), events.actions.shape[1]
    memory = started(policy, most, events.actions.shape[2], events.fixed)
    arrivals = events.arrivals
    logged = Logged(
        events.actions, events.sizes, events.chosen, events.propensity, events.reward,
        arrivals.order, np.append(arrivals.ends[1:], arrivals.ends[-1:]), arrivals.before,
    )  # fmt: skip
    coins = generator(seed, "share").random(n) if kind == SHARE else np.zeros(n)
    found = Walk(np.zeros((n, most)), np.zeros(n, np.bool_), np.zeros(n, np.int64))
    run = getattr(along, "py_func", along) if is_interpreted else along
    words = np.empty((n, 0), np.int64)
    first = 0
    while first < n:
        last = min(first + _STRETCH, n)
        arguments = (
            policy, memory, logged, kind, rate, luck_of(seed), coins, words, first, last, found,
        )  # fmt: skip
        if run is along and has_namesake((policy, memory)):
            run = version_for(along, arguments)
        done, arm, width = run(*arguments)
        if width:  # how wide a record of a choice is, the first one tells
            words = np.empty((n, width), np.int64)
            continue
        if done < last:
            raise no_such_arm(policy, arm, len(logged.offer_of(done)), done + 1)
        if counted is not None:
            counted(last - first)
        first = last
    return found


@compiled
def along(
    policy: Any,
    memory: Any,
    logged: Logged,
    kind: int,
    rate: float,
    seed: int,
    coins: Vector,  # (n,), uniform
    words: NDArray[np.int64],  # (n, w), records of choices until their rewards come
    first: int,  # the event to begin with; 0 starts the memory
    last: int,  # the one after those to walk along
    found: Walk,
) -> tuple[int, int, int]:
    """Walk until a choice is no row, or there is no room to keep it.

    Return how many events there were, the last choice, and how many words a record takes if there
    is no room for one, otherwise 0.
    """
    policy, memory, logged = borrowed(policy), borrowed(memory), borrowed(logged)
    coins, words, found = borrowed(coins), borrowed(words), borrowed(found)
    probabilities, is_learnt, choices = found.probabilities, found.is_learnt, found.choice
    if first == 0:
        policy.restart(memory, draws.fork(seed, -1))
    actions, is_changing = logged.offer_of(0), logged.sizes.size > 1
    learnt = logged.ends[first - 1] if first > 0 else 0
    for t in range(first, last):
        if is_changing:
            actions = logged.offer_of(t)
        luck = draws.fork(seed, t)
        choice = policy.choose(memory, actions, luck)
        if not is_row(choice.arm, actions.shape[0]):
            return t, choice.arm, 0
        if words.shape[1] < count_words(choice):
            return t, 0, count_words(choice)
        choices[t] = choice.arm
        arm, p = natural(logged.chosen[t]), logged.propensity[t]
        is_told = write_chances(policy, memory, actions, luck, choice.arm, probabilities[t])
        chance = probabilities[t, arm]
        if kind == ADVICE:
            is_own, propensity = True, p
        else:
            is_own = choice.arm == arm if kind == REPLAY else coins[t] * p < rate * chance
            propensity = chance if is_told else choice.propensity
        is_learnt[t] = is_own
        record = as_played(choice, arm, propensity)
        write_words(words[t], record)
        if not is_own and kind == SHARE:
            optional.tick(policy, memory)
        for i in range(learnt, logged.ends[t]):
            s = logged.order[i]
            if is_learnt[s]:
                made = read_words(words[s], record)
                action = logged.offer_of(s)[natural(logged.chosen[s])]
                past = draws.fork(draws.fork(seed, s))
                if logged.before[s] != s + 1:
                    optional.settle(policy, memory, action, made, past)
                policy.learn(memory, action, made, logged.reward[s], past)
        learnt = logged.ends[t]
        if is_own and logged.before[t] > t + 1:  # and so another choice comes before the reward
            optional.expect(policy, memory, actions[arm], record, draws.fork(luck))
    return last, 0, 0


@inlined
def write_chances(
    policy: Any, memory: Any, actions: Matrix, luck: int, arm: int, chances: Vector
) -> bool:
    """Write the probability of each row, given a luck, and return whether the policy told.

    Of others all of it lies on the choice: luck does not look at rewards.
    """
    optional.chances_in(policy, memory, actions, luck, chances)
    if math.isnan(chances[0]):
        for k in range(actions.shape[0]):
            chances[k] = optional.chance_of(policy, memory, k)
    is_told = not math.isnan(chances[0])
    if not is_told:
        for k in range(actions.shape[0]):
            chances[k] = 1.0 if k == arm else 0.0
    return is_told
