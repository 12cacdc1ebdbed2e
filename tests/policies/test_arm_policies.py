"""What all K-armed policies share: the public checks, errors, extremes, and doing their job."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from driftwise import BanditOverBandit, simulate
from driftwise.core.base.arrays import Matrix
from driftwise.core.base.card import plays_arms
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.policies.ad_switch import AdSwitch
from driftwise.policies.bandit_over_bandit import NUMBER
from driftwise.policies.discounted_arms_ucb import DiscountedArmsUCB
from driftwise.policies.discounted_beta_ts import DiscountedBetaTS
from driftwise.policies.discounted_gaussian_ts import DiscountedGaussianTS
from driftwise.policies.epsilon_greedy import EpsilonGreedy
from driftwise.policies.glr_ucb import GLRUCB
from driftwise.policies.hedging_arms_ucb import HedgingArmsUCB
from driftwise.policies.rerun_ucbv import RerunUCBV
from driftwise.policies.rexp3 import Rexp3
from driftwise.policies.sliding_window_arms_ucb import SlidingWindowArmsUCB
from driftwise.policies.sliding_window_beta_ts import SlidingWindowBetaTS
from driftwise.policies.ucb1 import UCB1
from driftwise.policies.uniform import Uniform
from driftwise.worlds import Sinusoid, World
from tests.policies.wavy_arms import waves

PlayOn = Callable[..., Iterator[Any]]

POLICIES: dict[str, Any] = {
    "UCB1": UCB1(reward_range=0.5),
    "SlidingWindowArmsUCB": SlidingWindowArmsUCB(window=20, reward_range=0.5),
    "DiscountedArmsUCB": DiscountedArmsUCB(discount=0.95, reward_range=0.5),
    "Rexp3": Rexp3(mixing=0.2, restart_every=50),
    "RerunUCBV": RerunUCBV(restart_every=60, reward_range=0.5),
    "HedgingArmsUCB": HedgingArmsUCB(window=20, noise=0.1),
    "GLRUCB": GLRUCB(confidence=0.9, mixing=0.2, check_every=3, n_splits=5),
    "AdSwitch": AdSwitch(horizon=100, reward_range=0.2, eviction=5.0, check_every=2),
    "Uniform": Uniform(),
    "EpsilonGreedy": EpsilonGreedy(mixing=0.1, step=0.1),
    "DiscountedBetaTS": DiscountedBetaTS(discount=0.95),
    "SlidingWindowBetaTS": SlidingWindowBetaTS(window=20),
    "DiscountedGaussianTS": DiscountedGaussianTS(discount=0.95, noise=0.1),
}


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "Uniform"])
def test_refuses_decision_sets_that_change(name: str) -> None:
    assert plays_arms(POLICIES[name])
    world = World(
        parameters=np.zeros((9, 2)), decision_sets=[np.eye(2) + t for t in range(9)], noise=0.1
    )
    with pytest.raises(ValueError, match=f"{name} plays arms, so the decision set must be"):
        simulate(POLICIES[name], world)


NOT_NUMBERS: list[Any] = ["1", None, True, 1j, [0.5]]
NOT_FINITE: list[Any] = [math.nan, math.inf, 1e200]
COUNTS: list[Any] = [*NOT_NUMBERS, 2.0, math.nan, 0, -1]
POSITIVE: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, 0.0, -1.0]
AT_LEAST_ZERO: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, -1e-9]
FRACTIONS: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, 0.0, -0.1, 1.0 + 1e-9]
FROM_ZERO_TO_ONE: list[Any] = [*AT_LEAST_ZERO, 1.0 + 1e-9]
CHANGES: list[Any] = ["1", True, 2.0, -1, math.nan]
OPTIONAL: list[Any] = [value for value in AT_LEAST_ZERO if value is not None]

INTERVAL: dict[str, list[Any]] = {
    "low": [*NOT_NUMBERS, *NOT_FINITE], "high": [*NOT_NUMBERS, *NOT_FINITE, 0.0, -1.0],
    "prior_successes": POSITIVE, "prior_failures": POSITIVE,
}  # fmt: skip

BAD: dict[str, dict[str, list[Any]]] = {
    "UCB1": {
        "reward_range": AT_LEAST_ZERO, "optimism": AT_LEAST_ZERO, "fixed_log": AT_LEAST_ZERO,
    },
    "SlidingWindowArmsUCB": {
        "window": COUNTS, "reward_range": AT_LEAST_ZERO, "optimism": AT_LEAST_ZERO,
    },
    "DiscountedArmsUCB": {
        "discount": FRACTIONS, "reward_range": AT_LEAST_ZERO, "optimism": AT_LEAST_ZERO,
    },
    "Rexp3": {"mixing": FRACTIONS, "restart_every": COUNTS},
    "RerunUCBV": {
        "restart_every": COUNTS, "reward_range": AT_LEAST_ZERO, "optimism": AT_LEAST_ZERO,
    },
    "HedgingArmsUCB": {"window": COUNTS, "noise": AT_LEAST_ZERO, "confidence": FRACTIONS},
    "GLRUCB": {
        "confidence": FRACTIONS, "mixing": FROM_ZERO_TO_ONE, "is_growing": [1, 0.0, None, "yes"],
        "reward_range": POSITIVE, "optimism": AT_LEAST_ZERO, "check_every": COUNTS,
        "n_splits": [*COUNTS, 1],
    },
    "AdSwitch": {
        "horizon": COUNTS, "reward_range": POSITIVE, "eviction": POSITIVE, "check_every": COUNTS,
    },
    "Uniform": {"stream": ["1", None, True, 2.0, -1]},
    "EpsilonGreedy": {"mixing": FRACTIONS, "step": FROM_ZERO_TO_ONE},
    "DiscountedBetaTS": {"discount": FRACTIONS, **INTERVAL},
    "SlidingWindowBetaTS": {"window": COUNTS, **INTERVAL},
    "DiscountedGaussianTS": {"discount": FRACTIONS, "noise": AT_LEAST_ZERO},
}  # fmt: skip

BAD_TUNING: dict[str, list[Any]] = {
    "horizon": COUNTS, "n_arms": COUNTS, "n_changes": CHANGES, "variation": OPTIONAL,
    "reward_range": AT_LEAST_ZERO, "noise": AT_LEAST_ZERO, "low": INTERVAL["low"],
    "high": INTERVAL["high"],
}  # fmt: skip


def error_of(make: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize("name", POLICIES)
def test_says_what_is_wrong(name: str) -> None:
    assert set(BAD[name]) == set(POLICIES[name]._fields)
    for setting, values in BAD[name].items():
        for value in values:
            said = error_of(partial(POLICIES[name]._replace, **{setting: value}))
            assert re.match(rf"{setting} must \w+ .*, got .+", said), said


@pytest.mark.parametrize("name", POLICIES)
def test_tuned_says_what_is_wrong(name: str) -> None:
    tuned = type(POLICIES[name]).tuned
    known: dict[str, Any] = {"horizon": 100, "n_arms": 2}
    if name in ("HedgingArmsUCB", "DiscountedGaussianTS"):
        known["noise"] = 0.1
    policy = tuned(**known)
    assert pickle.loads(pickle.dumps(policy)) == policy
    names = tuned.__func__.__kwdefaults__ or {}
    for parameter in {*known, *names}:
        for value in BAD_TUNING[parameter]:
            said = error_of(partial(tuned, **known | {parameter: value}))
            assert re.match(rf"{parameter} must \w+ .*, got .+", said), said


EXTREMES: dict[str, Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]] = {
    "always 1e100": lambda random, shape: np.full(shape, 1e100),
    "always -1e100": lambda random, shape: np.full(shape, -1e100),
    "1e100, either sign": lambda random, shape: 1e100 * random.choice([-1.0, 1.0], size=shape),
    "of every size": lambda random, shape: (
        random.choice([-1.0, 1.0], size=shape) * 10.0 ** random.uniform(-300, 99, size=shape)
    ),
    "nothing": lambda random, shape: np.zeros(shape),
}


@pytest.mark.parametrize("n_arms", [1, 3])
@pytest.mark.parametrize("name", POLICIES)
def test_all_numbers_stay_finite(name: str, n_arms: int, play_on: PlayOn) -> None:
    for extreme in EXTREMES.values():
        rewards = extreme(np.random.default_rng(6), (200, n_arms))
        rounds = Rounds(np.eye(n_arms)[None], np.full(1, n_arms), rewards, rewards)
        for stretch in play_on(POLICIES[name], rounds, seed=6, size=20, is_compiled=False):
            assert all(np.isfinite(array).all() for array in arrays_in(stretch.memory))
            assert 0 <= stretch.arms.min() <= stretch.arms.max() < n_arms


LARGE = [
    UCB1(1e100, 1e100), SlidingWindowArmsUCB(7, 1e100, 1e100),
    DiscountedArmsUCB(1e-300, 1e100, 1e100), DiscountedArmsUCB(1e-9), Rexp3(1e-300, 9),
    RerunUCBV(90, 1e100, 1e100), HedgingArmsUCB(9, 1e100, 1e-300), GLRUCB(1e-300, 1e-300),
    GLRUCB(1.0, 1.0, reward_range=1e-300, optimism=1e100), AdSwitch(99, 1e100, 1e100, 1),
    AdSwitch(99, 1e-300, 1e-300, 1), Uniform(2**62), EpsilonGreedy(1e-300, 1e-300),
    DiscountedBetaTS(1e-300, -1e100, 1e100, 1e-6, 1e100), SlidingWindowBetaTS(9, 0.0, 1e-300),
    DiscountedGaussianTS(1e-300, 1e100), DiscountedGaussianTS(1.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("policy", LARGE, ids=repr)
def test_odd_settings(policy: Any, play_on: PlayOn) -> None:
    for size in (1.0, 1e100):
        rewards = size * np.random.default_rng(6).uniform(-1, 1, (150, 3))
        rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
        (stretch,) = play_on(policy, rounds, seed=6, is_compiled=False)
        assert all(np.isfinite(array).all() for array in arrays_in(stretch.memory))


@pytest.mark.parametrize("name", [name for name in POLICIES if hasattr(POLICIES[name], "adjusted")])
def test_bandit_over_bandit_takes_what_forgets(name: str, play_on: PlayOn) -> None:
    base = POLICIES[name]
    policy = BanditOverBandit(base, base.candidates(40), 40, 0.3, 80.0)
    rewards = np.random.default_rng(6).normal([0.1, 0.5, 0.3], 0.2, (300, 3))
    rounds = Rounds(np.eye(3)[None], np.full(1, 3), rewards, rewards)
    (stretch,) = play_on(policy, rounds, seed=6, is_compiled=False)
    assert stretch.memory.block[NUMBER] == 300 // 40
    several = BanditOverBandit.tuned(horizon=300, dimension=3, noise=0.2, base=base)
    assert several.settings.tolist() == list(base.candidates(several.block_length))


@pytest.mark.parametrize(
    ("base", "candidates", "setting", "adjusted"),
    [
        (SlidingWindowArmsUCB(10, 0.4), (1, 2, 4, 8), 30, SlidingWindowArmsUCB(30, 0.4)),
        (DiscountedArmsUCB(0.9, 0.4), (0.5, 0.75, 0.875), 0.8, DiscountedArmsUCB(0.8, 0.4)),
        (HedgingArmsUCB(10, 0.2, 0.3), (1, 2, 4, 8), 80, HedgingArmsUCB(80, 0.2, 0.3)),
        (RerunUCBV(10, 0.2, 1.2), (1, 2, 4, 8), 80, RerunUCBV(80, 0.2, 1.2)),
        (Rexp3(0.2, 10), (1, 2, 4, 8), 80, Rexp3(0.2, 80)),
    ],
)
def test_in_one_block_bandit_over_bandit_is_its_base(
    base: Any, candidates: tuple[float, ...], setting: float, adjusted: Any, play_on: PlayOn
) -> None:
    assert base.candidates(8) == candidates
    assert base.adjusted(base.roomiest([setting / 2, setting])) == adjusted
    rounds = next(waves(900, 3).rounds(2, 900))
    policy = BanditOverBandit(base, [setting], 5000, 0.2, 50.0)
    (inside,) = play_on(policy, rounds, seed=2, is_compiled=False)
    (alone,) = play_on(adjusted, rounds, seed=2, is_compiled=False)
    np.testing.assert_array_equal(inside.arms, alone.arms)


def test_a_discount_for_blocks_of_one_round() -> None:
    assert DiscountedArmsUCB(0.9).candidates(1) == (0.5,)


@pytest.mark.parametrize(
    ("policy", "total_regret"),
    [
        (SlidingWindowArmsUCB(300, 0.2), 33.94603074731965),
        (DiscountedArmsUCB(0.99, 0.1), 16.754594624158514),
        (
            HedgingArmsUCB.tuned(horizon=3000, n_arms=2, noise=0.1, variation=3.0),
            24.663175768281498,
        ),
        (RerunUCBV(250, 0.2), 53.68518491233651),
        (Rexp3.tuned(horizon=3000, n_arms=2, variation=1.0), 281.2760334142167),
        (EpsilonGreedy(0.1, 0.05), 91.67698574178706),
    ],
)
def test_nothing_changed(policy: Any, total_regret: float) -> None:
    run = simulate(policy, Sinusoid(horizon=3000, variation=1.0, noise=0.1), seed=0)
    assert run.total_regret == pytest.approx(total_regret, rel=1e-9), run.total_regret


def test_a_weight_that_has_nearly_faded_breaks_nothing(play_on: PlayOn) -> None:
    """The least of all positive numbers, in play for a moment before it is none."""
    rewards = np.tile([1.0, 0.0], (1200, 1))
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), rewards, rewards)
    (stretch,) = play_on(DiscountedArmsUCB(0.5, 0.0), rounds, seed=1, is_compiled=False)
    # Greedy: the other arm comes back only when nothing is left of it.
    assert 1070 <= np.flatnonzero(stretch.arms == 1)[1] <= 1080


T, SEEDS, NOISE = 16_000, range(5), 0.1
KNOWN: dict[str, Any] = {"horizon": T, "n_arms": 3}
TUNED: dict[str, Any] = {
    "UCB1": UCB1.tuned(**KNOWN, reward_range=2 * NOISE),
    "SlidingWindowArmsUCB": SlidingWindowArmsUCB.tuned(
        **KNOWN, n_changes=1, reward_range=2 * NOISE
    ),
    "DiscountedArmsUCB": DiscountedArmsUCB.tuned(**KNOWN, n_changes=1, reward_range=2 * NOISE),
    "Rexp3": Rexp3.tuned(**KNOWN, variation=0.8),
    "RerunUCBV": RerunUCBV.tuned(**KNOWN, variation=0.8, noise=NOISE, reward_range=2 * NOISE),
    "HedgingArmsUCB": HedgingArmsUCB.tuned(**KNOWN, variation=0.8, noise=NOISE),
    "GLRUCB": GLRUCB.tuned(**KNOWN),
    "AdSwitch": AdSwitch.tuned(**KNOWN, reward_range=2 * NOISE),
    "EpsilonGreedy": EpsilonGreedy(0.1, 0.05),
}


def regrets(policy: Any, means: Matrix) -> NDArray[np.float64]:
    """Return the regret with each seed."""
    world = World(parameters=means, decision_sets=np.eye(3), noise=NOISE)
    return np.array([simulate(policy, world, seed=seed).total_regret for seed in SEEDS])


@pytest.mark.parametrize("name", TUNED)
def test_beats_chance_where_nothing_changes(name: str) -> None:
    means = np.tile([0.1, 0.9, 0.2], (T, 1))
    by_chance = regrets(Uniform(), means)
    assert by_chance.mean() == pytest.approx(T * (0.8 + 0.0 + 0.7) / 3, rel=0.02)
    assert regrets(TUNED[name], means).max() < 0.6 * by_chance.min()


@pytest.mark.parametrize("name", [name for name in TUNED if name not in ("UCB1", "AdSwitch")])
def test_forgetting_finds_an_arm_that_became_the_best(name: str) -> None:
    """AdSwitch, too, but at this horizon it pays as much for the search as for the error."""
    means = np.repeat([[0.5, 0.1, 0.2], [0.5, 0.9, 0.2]], T // 2, axis=0)
    remembering, forgetting = regrets(TUNED["UCB1"], means), regrets(TUNED[name], means)
    assert forgetting.mean() < 0.6 * remembering.mean()
    assert forgetting.max() < remembering.min()
