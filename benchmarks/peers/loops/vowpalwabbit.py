"""Vowpal Wabbit: one linear model on the features of the actions, by stochastic gradients."""

import random
from collections.abc import Callable
from typing import Any

import vowpalwabbit

PACKAGE = "vowpalwabbit"
REMARK = "one linear model by stochastic gradients, O(d) an action, no matrix; examples are text"


def start(n_arms: int, dimension: int) -> Callable[[Any, Any], None]:
    workspace = vowpalwabbit.Workspace("--cb_explore_adf --squarecb --quiet --random_seed 1")
    rng = random.Random(0)
    arms = range(n_arms)

    def play(actions: Any, rewards: Any) -> None:
        lines = ["| " + " ".join(f"{i}:{x}" for i, x in enumerate(row)) for row in actions]
        chances = workspace.predict(lines)
        arm = rng.choices(arms, chances)[0]
        lines[arm] = f"{arm}:{-rewards[arm]}:{chances[arm]} {lines[arm]}"
        workspace.learn(lines)

    return play
