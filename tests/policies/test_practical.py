"""Practical tunings: the ridge is (R / S)², and what is added to a mean is 2 R widths at any time."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftwise as dw
from driftwise.policies.forgetting.linear import Linear
from driftwise.registry import all_policies

LINEAR: list[Any] = [cls for cls in all_policies().values() if issubclass(cls, Linear)]
LINEAR = [cls for cls in LINEAR if not cls.card.is_logistic]
FACTS: dict[str, Any] = {"horizon": 500, "dimension": 3, "action_norm": 2.0, "change_points": [9]}
NOISE, NORM = 0.25, 2.0


def practical(cls: Any, noise: float = NOISE, norm: float = NORM) -> Any:
    names = cls.tuned.__kwdefaults__.keys() | cls.tuned.__annotations__.keys()
    facts = {name: fact for name, fact in FACTS.items() if name in names}
    return cls.practical(noise=noise, parameter_norm=norm, **facts)


@pytest.mark.parametrize("cls", LINEAR, ids=lambda cls: cls.__name__)
def test_the_radius_is_twice_the_noise_in_every_round(cls: Any) -> None:
    policy = practical(cls)
    assert policy.ridge == (NOISE / NORM) ** 2
    memory = policy.start(2, 3, None)
    policy.restart(memory, 0)
    widths = {"LinTS": 1.0, "DiscountedLinTS": 1.0}.get(cls.__name__, 2.0)
    actions = np.eye(3)[:2]
    for luck in range(30):
        assert policy.strength(memory) == pytest.approx(widths * NOISE, rel=1e-12)
        choice = policy.choose(memory, actions, luck)
        policy.learn(memory, actions[choice.arm], choice, 1.0, luck)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 100.0), st.floats(0.01, 100.0))
def test_a_first_choice_adds_twice_the_prior_deviation(noise: float, norm: float) -> None:
    """Before any reward, mean plus radius times width is 2 S for an action of length 1."""
    agent = dw.Agent(practical(dw.LinUCB, noise, norm), dimension=1, is_interpreted=True)
    assert agent.choose([[1.0]]).value == pytest.approx(2.0 * norm, rel=1e-9)


def test_rewards_and_parameter_in_another_unit_change_no_choice() -> None:
    plain, scaled = (
        dw.Agent(practical(dw.LinUCB, unit * NOISE, unit * NORM), dimension=2, is_interpreted=True)
        for unit in (1.0, 1024.0)
    )
    random = np.random.default_rng(0)
    for _ in range(100):
        rows, reward = random.uniform(-1.0, 1.0, (4, 2)), random.normal()
        one, other = plain.choose(rows), scaled.choose(rows)
        assert one.arm == other.arm
        plain.learn(one, reward)
        scaled.learn(other, 1024.0 * reward)


def test_the_scoreboard_sets_the_same_ridge_and_radius() -> None:
    text = files("driftwise.experiments.builtin").joinpath("scoreboard.toml").read_text("utf-8")
    entries = [
        entry
        for entry in tomllib.loads(text)["policies"]
        if "practical" in entry.get("label", "") and entry.get("noise") == 0.0
    ]
    assert len(entries) == 8
    for entry in entries:
        policy = practical(getattr(dw, entry["name"]))
        symbols = {"s": NOISE, "S": NORM}
        radius = policy.ridge**0.5 * policy.parameter_norm
        assert policy.ridge == eval(entry["ridge"], symbols)
        by_file = policy.ridge**0.5 * eval(entry["parameter_norm"], symbols)
        if entry["name"] != "DiscountedLinTS":  # which goes by no radius
            inflation = getattr(policy, "inflation", 1.0)
            assert radius * inflation == by_file * entry.get("inflation", 1.0)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="noise must be above 0"):
        dw.LinUCB.practical(horizon=10, noise=0.0)
    with pytest.raises(TypeError, match="SlidingWindowGLMUCB has no practical tuning"):
        dw.SlidingWindowGLMUCB.practical(horizon=10, dimension=2)
