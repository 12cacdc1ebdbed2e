"""The loop in which rewards come late; without delay, `simulate.loop` costs less."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Matrix, Vector
from ..compiler.borrowing import borrowed
from ..compiler.compiled import compiled, has_namesake, version_for
from ..compiler.hints import natural
from ..compiler.words import count_words, read_words, write_words
from ..contract.optional import expect, settle
from ..contract.rows import is_row, no_such_arm
from ..randomness import draws
from .known_rounds import BallRounds, Rounds
from .schedule import Arrivals

__all__ = ["Waiting", "late_loop", "nobody_waits", "play_late"]


class Waiting(NamedTuple):
    """What one policy has decided without knowing the reward; for the rows see `Arrivals`."""

    words: NDArray[np.int64]  # (rows, w): choice and reward
    actions: Matrix  # (rows, d); (rows, 0) if the decision set never changes: there the arm tells


def nobody_waits(dimension: int, *, is_fixed: bool) -> Waiting:
    """Return what waits before the first round; how wide a record is, the first choice tells."""
    return Waiting(np.empty((0, 0), np.int64), np.empty((0, 0 if is_fixed else dimension)))


def play_late(
    policy: Any,
    memory: Any,
    rounds: Rounds | BallRounds,
    seed: int,
    first: int,  # these as for `simulate.play`
    marks: NDArray[np.int64],
    regret: Vector,
    total: Vector,
    arrivals: Arrivals,
    waiting: Waiting,  # after the chunk before
    *,
    is_interpreted: bool = False,
) -> Waiting:
    """Play the rounds of one chunk as `simulate.play` does, and return what waits after them."""
    run = getattr(late_loop, "py_func", late_loop) if is_interpreted else late_loop
    n_rows = len(arrivals.staying) + rounds.count_rounds()
    waiting = Waiting(*(_moved(array, arrivals.staying, n_rows) for array in waiting))
    rest = arrivals, seed, first, marks, regret, total
    if run is late_loop and has_namesake((policy, memory)):
        run = version_for(late_loop, (policy, memory, rounds, waiting, *rest))
    done, arm, width = run(policy, memory, rounds, waiting, *rest)
    if width > 0:  # nothing was learnt before the first choice, so this starts again
        waiting = Waiting(np.empty((n_rows, width), np.int64), waiting.actions)
        done, arm, _ = run(policy, memory, rounds, waiting, *rest)
    if done < rounds.count_rounds():
        raise no_such_arm(policy, arm, len(rounds.offer_of(done)), first + done + 1)
    return waiting


def _moved(array: NDArray[Any], staying: NDArray[np.int64], n_rows: int) -> NDArray[Any]:
    moved = np.empty((n_rows, array.shape[1]), array.dtype)
    moved[: len(staying)] = array[staying]
    return moved


@compiled
def late_loop(
    policy: Any,
    memory: Any,
    rounds: Rounds | BallRounds,
    waiting: Waiting,
    arrivals: Arrivals,
    seed: int,
    first: int,
    marks: NDArray[np.int64],
    regret: Vector,
    total: Vector,
) -> tuple[int, int, int]:
    """Play rounds until a choice is no row, or there is no room to keep it.

    Return how many rounds there were, the last choice, and how many words a record takes if there
    is no room for one, otherwise 0.
    """
    policy, memory, rounds = borrowed(policy), borrowed(memory), borrowed(rounds)
    waiting, arrivals = borrowed(waiting), borrowed(arrivals)
    marks, regret, total = borrowed(marks), borrowed(regret), borrowed(total)
    if first == 0:
        policy.restart(memory, draws.fork(seed, -1))
    if rounds.count_rounds() == 0:  # then there is no first decision set either
        return 0, 0, 0
    next_mark, next_arrival, lost, won = 0, 0, total[0], total[1]
    actions, is_changing = rounds.offer_of(0), rounds.are_changing()
    words, kept, n_before = waiting.words, waiting.actions, arrivals.staying.size
    for t in range(rounds.count_rounds()):
        if is_changing:
            actions = rounds.offer_of(t)
        luck = draws.fork(seed, first + t)
        choice = policy.choose(memory, actions, luck)
        if not is_row(choice.arm, actions.shape[0]):
            return t, choice.arm, 0
        arm = natural(choice.arm)
        reward = rounds.reward_of(natural(t), arm)
        record = (choice, reward)
        if words.shape[1] < count_words(record):
            return t, 0, count_words(record)
        write_words(words[natural(n_before + t)], record)
        for i in range(kept.shape[1]):
            kept[n_before + t, i] = actions[arm, i]
        lost += rounds.loss_of(natural(t), arm, actions.shape[0])
        won += reward
        for i in range(next_arrival, arrivals.ends[t]):
            row = natural(arrivals.order[i])
            made, earned = read_words(words[row], record)
            action = kept[row] if kept.shape[1] > 0 else actions[natural(made.arm)]
            past = draws.fork(draws.fork(seed, arrivals.decided[i]))
            if arrivals.decided[i] != first + t:
                settle(policy, memory, action, made, past)
            policy.learn(memory, action, made, earned, past)
        next_arrival = arrivals.ends[t]
        # Of what arrives together the decision of this round comes last. The next choice follows at
        # once, even if that is in another chunk, and so this is just before it.
        is_open = next_arrival == 0 or arrivals.decided[next_arrival - 1] != first + t
        if is_open and t < arrivals.n_followed:
            expect(policy, memory, actions[arm], choice, draws.fork(luck))
        if next_mark < marks.size and marks[next_mark] == first + t + 1:
            regret[next_mark] = lost
            next_mark += 1
    total[0] = lost
    total[1] = won
    return rounds.count_rounds(), 0, 0
