"""The loop: checkpoints, chunks, workers, memory."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed

import driftwise as dw

POLICY = dw.SlidingWindowUCB(window=50, noise=0.1)
WORLD = dw.worlds.Sinusoid(horizon=1000, variation=1.0, noise=0.1)


def total(seed: int) -> float:
    return dw.simulate(POLICY, WORLD, seed=seed).total_regret


def test_regret_is_the_gap_to_the_best_mean_of_each_round() -> None:
    (rounds,) = WORLD.rounds(3, 1000)
    agent = dw.Agent(POLICY, n_arms=2, seed=3)
    regret = []
    for means, rewards in zip(rounds.means, rounds.rewards, strict=True):
        decision = agent.choose()
        agent.learn(decision, rewards[decision.arm])
        regret.append(means.max() - means[decision.arm])
    run = dw.simulate(POLICY, WORLD, seed=3, checkpoints=1000)
    assert run.regret == pytest.approx(np.cumsum(regret), rel=1e-12)
    assert run.total_regret == run.regret[-1] > 0


@pytest.mark.parametrize(
    ("checkpoints", "spacing", "wanted"),
    [
        (4, "even", [250, 500, 750, 1000]),
        (1, "even", [1000]),
        (1, "log", [1000]),
        (4, "log", [1, 10, 100, 1000]),
        (3, "even", [333, 667, 1000]),
        ([10, 500], "even", [10, 500, 1000]),
        ([1000, 10, 10], "even", [10, 1000]),
    ],
)
def test_checkpoints(checkpoints: Any, spacing: Any, wanted: list[int]) -> None:
    every = dw.simulate(POLICY, WORLD, checkpoints=1000)
    run = dw.simulate(POLICY, WORLD, checkpoints=checkpoints, spacing=spacing)
    assert run.rounds.tolist() == wanted
    assert run.regret.tolist() == every.regret[run.rounds - 1].tolist()


def test_log_spacing_has_no_round_twice() -> None:
    run = dw.simulate(POLICY, WORLD, checkpoints=200, spacing="log")
    assert run.rounds[0] == 1
    assert np.all(np.diff(run.rounds) > 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"checkpoints": 0}, "checkpoints must be at least 1, got 0"),
        ({"checkpoints": [0, 5]}, "checkpoints must be in 1 to 1000, got 0"),
        ({"checkpoints": [5, 1001]}, "checkpoints must be in 1 to 1000, got 1001"),
        ({"checkpoints": [0.5]}, "checkpoints must be whole rounds"),
        ({"checkpoints": []}, "checkpoints must be whole rounds"),
        ({"spacing": "logg"}, "spacing must be one of even, log, got 'logg'; did you mean 'log'?"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        dw.simulate(POLICY, WORLD, **arguments)
    assert message in str(caught.value)


def test_neither_chunks_nor_company_change_a_result() -> None:
    alone = dw.simulate(POLICY, WORLD, seed=5, checkpoints=1000)
    exp3 = dw.Exp3(mixing=0.1)
    for chunk in (1, 7, 333, 10_000):
        runs = dw.simulate_all([exp3, POLICY], WORLD, seed=5, checkpoints=1000, chunk=chunk)
        assert runs[1].regret.tobytes() == alone.regret.tobytes()
        assert runs[1].total_reward == alone.total_reward


def test_workers_do_not_change_a_result() -> None:
    wanted = [total(seed) for seed in range(6)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(total, range(6))) == wanted
    assert Parallel(n_jobs=2)(delayed(total)(seed) for seed in range(6)) == wanted


def test_seeds_differ_and_repeat() -> None:
    assert total(0) == total(0) != total(1)


def test_policies_face_the_same_noise() -> None:
    one, other = dw.SlidingWindowUCB(window=1, noise=0.0), dw.SlidingWindowUCB(window=1, noise=5.0)
    single = dw.worlds.World(parameters=np.ones((500, 1)), decision_sets=np.eye(1), noise=1.0)
    runs = dw.simulate_all([one, other], single, seed=3)
    assert runs[0].total_reward == runs[1].total_reward


def test_memory_does_not_grow_with_the_horizon() -> None:
    def peak(horizon: int) -> int:
        world = dw.worlds.Sinusoid(horizon=horizon, variation=1.0)
        dw.simulate(POLICY, world)
        tracemalloc.start()
        dw.simulate(POLICY, world)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(2_000_000) < 1.5 * peak(100_000)


def test_padding_is_never_played_and_never_the_best() -> None:
    """All real means are negative, so that a padded row, whose mean is 0, would look best."""
    rng = np.random.default_rng(0)
    sets = [-np.abs(rng.standard_normal((int(k), 2))) for k in rng.integers(1, 5, size=300)]
    world = dw.worlds.World(parameters=np.ones((300, 2)), decision_sets=sets, noise=0.0)
    run = dw.simulate(POLICY, world, checkpoints=300)
    best = np.cumsum([each.sum(axis=1).max() for each in sets])
    played = best - run.regret
    assert np.all(np.diff(run.regret) >= 0.0)
    assert run.total_reward == pytest.approx(played[-1])


def test_a_policy_that_plays_arms_refuses_sets_that_change() -> None:
    world = dw.worlds.World(
        parameters=np.ones((5, 2)), decision_sets=np.arange(20.0).reshape(5, 2, 2), noise=0.1
    )
    with pytest.raises(ValueError, match="Exp3 plays arms, so the decision set must be the same"):
        dw.simulate(dw.Exp3(mixing=0.1), world)


def test_what_is_not_a_policy_is_refused() -> None:
    with pytest.raises(TypeError, match="policy must have a method `start`, got 'ucb'"):
        dw.simulate("ucb", WORLD)  # type: ignore[arg-type]
