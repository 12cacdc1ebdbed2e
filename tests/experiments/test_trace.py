from __future__ import annotations

import numpy as np

from driftwise.core.simulate import simulate
from driftwise.experiments.experiment import Paper
from driftwise.experiments.trace import trace_run


def test_a_trace_is_the_run_that_the_numbers_count(small_paper: Paper) -> None:
    experiment = small_paper.experiments[1]
    trace = trace_run(experiment, 1200, seed=5)
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        policy, world = experiment.policy(play.policy, 1200), experiment.world(1200)
        run = simulate(policy, world, seed=experiment.seed(5, 1200, 0), checkpoints=1200)
        np.testing.assert_array_equal(play.regret, run.regret)


def test_blocks_add_up(small_paper: Paper) -> None:
    experiment = small_paper.experiments[1]
    trace = trace_run(experiment, 1250, seed=5)  # the last block is a short one
    policy = experiment.policy("BOB", 1250)
    blocks = trace.blocks
    lengths = np.full(len(blocks.drawn), blocks.length)
    lengths[-1] = 1250 - lengths[:-1].sum()
    assert 0 < lengths[-1] < blocks.length == policy.block_length
    np.testing.assert_allclose(
        (blocks.regret * lengths).sum(), trace.bandit_over_bandit.regret[-1], rtol=1e-12
    )
    assert blocks.windows.tolist() == policy.settings.tolist()
    assert blocks.drawn.min() >= 0
    assert blocks.drawn.max() < len(blocks.windows)


def test_estimates_are_those_of_the_close_up(small_paper: Paper) -> None:
    trace = trace_run(small_paper.experiments[1], 1200, seed=5)
    first, last = trace.close_up
    assert first % trace.blocks.length == 0
    for play in (trace.sliding_window, trace.bandit_over_bandit):
        is_known = np.isfinite(play.estimates[:, 0])
        assert is_known[first:last].all()
        assert not is_known[:first].any()
        assert not is_known[last:].any()
    # A block begins with an empty memory, SW-UCB does not.
    assert (trace.bandit_over_bandit.estimates[first] == 0.0).all()
    assert (trace.sliding_window.estimates[first] != 0.0).all()
