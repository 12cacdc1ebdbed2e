"""The loop: checkpoints, chunks, workers, memory."""

import math
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed

import driftwise as dw
from driftwise.core.engine.simulate import play
from driftwise.core.engine.starting import started
from driftwise.core.randomness.seeds import luck_of

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
        ({"checkpoints": [0.5]}, "checkpoints must be integers, at least one"),
        ({"checkpoints": []}, "checkpoints must be integers, at least one"),
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
    with pytest.raises(TypeError, match=r"policies must be a list of policies, got SlidingWindow"):
        dw.simulate_all(dw.SlidingWindowUCB(5, 0.1), WORLD)  # type: ignore[arg-type]


def test_what_is_not_a_world_is_refused() -> None:
    with pytest.raises(TypeError, match=r"world must be an instance, .*, got 'Sinusoid'"):
        dw.simulate(dw.SlidingWindowUCB(5, 0.1), "Sinusoid")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"world must be an instance, .*, got <class .*Sinusoid'>"):
        dw.simulate(dw.SlidingWindowUCB(5, 0.1), dw.worlds.Sinusoid)  # type: ignore[arg-type]


def largest_on_ball(gram: Any, estimate: Any, radius: float) -> float:
    """The largest x'estimate + radius |x| in the norm of the inverse of ``gram``, over the ball.

    Its square is the largest |z|^2 in an ellipsoid, and that is the smallest upper bound of its
    Lagrangian: one convex function of the multiplier.
    """
    eigenvalues, vectors = np.linalg.eigh(np.linalg.inv(gram))
    along = vectors.T @ estimate

    def upper(excess: float) -> float:
        kappa = eigenvalues[-1] * (1.0 + excess)
        rest = np.sum(along**2 * kappa / (kappa - eigenvalues))
        return float(rest + kappa * radius**2)

    low, high = math.log(1e-13), math.log(1e13)
    for _ in range(200):  # golden section, on a logarithmic scale
        left, right = high - (high - low) / 1.618, low + (high - low) / 1.618
        if upper(math.exp(left)) < upper(math.exp(right)):
            high = right
        else:
            low = left
    return math.sqrt(upper(math.exp(low)))


@pytest.mark.slow
def test_the_lower_bound_of_the_paper_runs_as_stated() -> None:
    """Round by round against a window of plain lists, resolved, and the dual of the optimum."""
    horizon, d, window = 150, 3, 20
    world = dw.worlds.LowerBoundBall(horizon=horizon, dimension=d, variation=20.0, noise=0.3)
    policy = dw.SlidingWindowUCB(window=window, noise=0.3, confidence=1.0 / horizon)
    radius = 0.3 * math.sqrt(d * math.log((1.0 + window) * horizon)) + 1.0
    memory = started(policy, 1, d, world.decision_set)
    points: list[Any] = []
    rewards: list[float] = []
    totals, regret = np.zeros(2), 0.0
    for t, rounds in enumerate(world.rounds(seed=4, size=1)):
        play(policy, memory, rounds, luck_of(4), t, np.zeros(0, np.int64), np.zeros(0), totals)
        point, parameter = rounds.point[0].copy(), rounds.parameters[0]
        tall = np.array(points[-window:]).reshape(-1, d)
        gram = np.eye(d) + tall.T @ tall
        estimate = np.linalg.solve(gram, tall.T @ np.array(rewards[-window:]))
        value = point @ estimate + radius * math.sqrt(point @ np.linalg.solve(gram, point))
        assert np.linalg.norm(point) == pytest.approx(1.0, abs=1e-12)
        assert value == pytest.approx(largest_on_ball(gram, estimate, radius), rel=1e-9)
        points.append(point)
        rewards.append(float(point @ parameter + rounds.noise[0]))
        regret += float(np.linalg.norm(parameter) - point @ parameter)
    assert totals == pytest.approx([regret, sum(rewards)], rel=1e-9)
    assert 0.0 < regret < 2.0 * horizon * world.parameter_norm

    run = dw.simulate(policy, world, seed=4, checkpoints=horizon)
    assert [run.total_regret, run.total_reward] == totals.tolist()
    slow, curve = started(policy, 1, d, world.decision_set), np.zeros(horizon)
    (rounds,) = world.rounds(seed=4, size=horizon)
    rest = run.rounds, curve, np.zeros(2)
    play(policy, slow, rounds, luck_of(4), 0, *rest, is_interpreted=True)
    assert curve.tobytes() == run.regret.tobytes()
    assert slow.regression.dense.estimate.tobytes() == memory.regression.dense.estimate.tobytes()


def test_a_policy_that_needs_rows_refuses_a_ball() -> None:
    world = dw.worlds.LowerBoundBall(horizon=50, dimension=3, variation=1.0)
    with pytest.raises(ValueError, match="Exp3 chooses among rows, so the decision set must have"):
        dw.simulate(dw.Exp3(mixing=0.1), world)
