"""Threads may share an agent: no choice is made twice, no reward is lost."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw

N_THREADS, ROUNDS = 8, 800


@pytest.fixture(autouse=True)
def _restless() -> Iterator[None]:
    """Let threads take turns much more often as they do by default."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], None]) -> None:
    failures = []
    start = threading.Barrier(N_THREADS)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# Compiled code lets other threads run meanwhile, and with many arms that takes a while.
@pytest.mark.parametrize(("n_arms", "is_interpreted"), [(2000, False), (20, True)])
def test_eight_threads_make_different_choices_and_lose_no_reward(
    n_arms: int, is_interpreted: bool
) -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=n_arms, is_interpreted=is_interpreted)
    agent.learn(agent.choose(), 0.0)  # so that it is compiled
    lucks: list[list[int]] = [[] for _ in range(N_THREADS)]

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            decision = agent.choose()
            lucks[number].append(decision.luck)
            agent.learn(decision, 1.0)

    together(work)
    assert agent.n_choices == N_THREADS * ROUNDS + 1
    assert len({luck for each in lucks for luck in each}) == N_THREADS * ROUNDS
    assert agent.memory.sums.sum() == N_THREADS * ROUNDS
    assert agent.memory.counts.sum() == N_THREADS * ROUNDS + 1


def test_what_is_saved_or_told_meanwhile_is_of_one_moment(tmp_path: Path) -> None:
    """After each reward the window holds one more of them, and its sums agree with its rounds."""
    # Interpreted, so that a thread may be interrupted in the midst of learning.
    agent = dw.Agent(dw.SlidingWindowUCB(10**4, noise=0.1), n_arms=2, is_interpreted=True)
    agent.learn(agent.choose(), 1.0)

    def consistent(memory: Any) -> bool:
        grams, sums, _ = memory.regression.sums
        return bool(grams.sum() - 2.0 == sums.sum() == memory.ring.clock[0])

    def work(number: int) -> None:
        for _ in range(60):
            if number == 0:
                agent.save(tmp_path / "agent")
                assert consistent(dw.Agent.load(tmp_path / "agent").memory)
            elif number == 1:
                state = agent.__getstate__()
                assert consistent(state["_calls"].memory)
            elif number == 2:
                explanation = agent.explain()
                estimate, errors = explanation["estimate"], explanation["standard_errors"]
                assert np.allclose(estimate, 1.0 - (np.array(errors) / 0.1) ** 2, atol=1e-12)
            else:
                for _ in range(8):
                    agent.learn(agent.choose(), 1.0)

    together(work)
    assert agent.memory.ring.clock[0] == 5 * 60 * 8 + 1
