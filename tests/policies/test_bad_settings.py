"""Settings that make no sense: one sentence that names the parameter, the rule and the value."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from driftwise import BanditOverBandit, Exp3, Exp3S, SlidingWindowUCB

BASE = SlidingWindowUCB(window=5, noise=0.1)
GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    SlidingWindowUCB: {"window": 5, "noise": 0.1},
    SlidingWindowUCB.tuned: {"horizon": 100, "dimension": 2, "noise": 0.1},
    BanditOverBandit: {
        "base": BASE, "settings": [1, 5], "block_length": 10, "mixing": 0.2, "reward_scale": 9.0,
    },
    BanditOverBandit.tuned: {"horizon": 100, "dimension": 2, "noise": 0.1},
    Exp3: {"mixing": 0.1},
    Exp3.tuned: {"horizon": 100, "n_arms": 2},
    Exp3S: {"mixing": 0.1, "sharing": 0.01},
    Exp3S.tuned: {"horizon": 100, "n_arms": 2},
}  # fmt: skip

NOT_NUMBERS: list[Any] = ["1", None, True, np.True_, 1j, [0.5], {}]
NOT_FINITE: list[Any] = [math.nan, math.inf, -math.inf, 1e200, 10**400]
NOT_INTEGERS: list[Any] = [*NOT_NUMBERS, 2.0, 1.5, math.nan, math.inf]

COUNTS: list[Any] = [*NOT_INTEGERS, 0, -1]
POSITIVE: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, 0.0, -1.0]
AT_LEAST_ZERO: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, -1e-9]
FRACTIONS: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, 0.0, -0.1, 1.0 + 1e-9, 2]
OPTIONAL: list[Any] = [value for value in AT_LEAST_ZERO if value is not None]

PROBLEM = {
    "horizon": COUNTS, "dimension": COUNTS, "noise": AT_LEAST_ZERO, "action_norm": POSITIVE,
    "parameter_norm": POSITIVE, "ridge": POSITIVE, "geometry": ["flat", None, 1],
}  # fmt: skip

BAD: dict[Callable[..., Any], dict[str, list[Any]]] = {
    SlidingWindowUCB: {
        "window": COUNTS, "noise": AT_LEAST_ZERO, "action_norm": POSITIVE,
        "parameter_norm": POSITIVE, "ridge": POSITIVE, "confidence": FRACTIONS,
    },
    SlidingWindowUCB.tuned: PROBLEM | {"variation": OPTIONAL},
    BanditOverBandit: {
        "base": [5, None, "SlidingWindowUCB", Exp3(0.1)],
        "settings": [[], (), 3, None, "12", [[1, 2]], [[1, 2], [3]], np.zeros((0,))],
        "block_length": COUNTS, "mixing": FRACTIONS, "reward_scale": POSITIVE,
    },
    BanditOverBandit.tuned: PROBLEM | {"base": [5, "SlidingWindowUCB", Exp3(0.1)]},
    Exp3: {"mixing": FRACTIONS},
    Exp3.tuned: {"horizon": COUNTS, "n_arms": COUNTS},
    Exp3S: {"mixing": FRACTIONS, "sharing": FRACTIONS},
    Exp3S.tuned: {"horizon": COUNTS, "n_arms": COUNTS, "variation": OPTIONAL},
}  # fmt: skip

CASES = [
    pytest.param(make, name, value, id=f"{make.__qualname__}-{name}-{value!r:.40}")
    for make, parameters in BAD.items()
    for name, values in parameters.items()
    for value in values
]


def error_of(make: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize(("make", "name", "value"), CASES)
def test_says_what_is_wrong(make: Callable[..., Any], name: str, value: Any) -> None:
    said = error_of(lambda: make(**GOOD[make] | {name: value}))
    assert re.match(rf"{name} must \w+ .*, got .+", said, re.DOTALL), said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SlidingWindowUCB(0, 0.1), "window must be at least 1 round, got 0"),
        (lambda: SlidingWindowUCB(5, -0.5), "noise must be at least 0, got -0.5"),
        (lambda: SlidingWindowUCB(5, math.nan), "noise must be a finite number, got nan"),
        (lambda: SlidingWindowUCB(5, 0.1, ridge=0), "ridge must be above 0, got 0.0"),
        (lambda: SlidingWindowUCB(2**63, 0.1), f"window must be below 2**63, got {2**63}"),
        (lambda: SlidingWindowUCB(5, 0.1, ridge=1e-31), "ridge must be at least 1e-30, got 1e-31"),
        (lambda: SlidingWindowUCB(5, 0.1, confidence=2), "confidence must be in (0, 1], got 2.0"),
        (lambda: Exp3(True), "mixing must be a number, got True"),
        (lambda: Exp3S(0.1, 0), "sharing must be in (0, 1], got 0.0"),
        (lambda: BASE._replace(window=-2), "window must be at least 1 round, got -2"),
        (lambda: Exp3._make([7]), "mixing must be in (0, 1], got 7.0"),
        (
            lambda: Exp3S.tuned(horizon=9, n_arms=2, variation=-3),
            "variation must be at least 0, got -3.0",
        ),
    ],
)
def test_the_words(make: Callable[[], Any], said: str) -> None:
    assert error_of(make) == said


@pytest.mark.parametrize("settings", [[0], [5, -1], [1.5], [math.nan], [True], ["a"], [None]])
def test_the_base_refuses_what_it_cannot_play(settings: Any) -> None:
    said = error_of(lambda: BanditOverBandit(BASE, settings, 10, 0.2, 9.0))
    assert re.fullmatch(r"(window|settings) must .+, got .+", said), said


def test_good_settings_are_accepted() -> None:
    for make, parameters in GOOD.items():
        policy = make(**parameters)
        assert pickle.loads(pickle.dumps(policy)) == policy
    # The edges that are allowed.
    SlidingWindowUCB(1, 0.0, confidence=1.0)
    Exp3S(1.0, 1.0)
    BanditOverBandit(BASE, np.array([1]), 1, 1.0, 1e-9)


def test_settings_have_one_type_however_they_were_typed_in() -> None:
    """So that one compiled version serves all."""
    plain = SlidingWindowUCB(4, 1.0, 2.0, 1.0, 1.0, 1.0)
    typed = SlidingWindowUCB(np.int32(4), 1, np.float32(2), 1, np.int64(1), 1)  # type: ignore[arg-type]
    assert plain == typed
    assert [type(value) for value in typed] == [int, float, float, float, float, float]
    assert type(Exp3(1).mixing) is float
    bob = BanditOverBandit(BASE, (1, 2), np.int8(10), 1, 9)  # type: ignore[arg-type]
    assert isinstance(bob.settings, np.ndarray)
    assert [type(value) for value in bob[2:]] == [int, float, float]
