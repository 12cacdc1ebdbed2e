"""Agents whose actions are dictionaries, and days of choosing among them, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import driftwise as dw
from driftwise.features import Category, Constant, Encoder, Number, PerAction

__all__ = ["COLOURS", "SHOP", "WORDS", "event_of", "lived", "moved", "offers"]

COLOURS = ("blue", "red", "green")

# Shared features, and coefficients of its own for each of three names at a time.
SHOP = Encoder(
    context={"one": Constant(alone=False), "load": Number(0, 1)},
    action={"price": Number(5, 20)},
    per_action=PerAction(["context.one", "context.load"], names=["blue", "red"], places=3),
)
WORDS = Encoder(action={"colour": Category(["blue", "red"], unknown="refuse")})


def offers(rng: np.random.Generator, names: tuple[str, ...] = COLOURS) -> tuple[Any, Any]:
    """Return a context and named actions."""
    prices = rng.uniform(5, 20, len(names)).round(2).tolist()
    return {"load": float(rng.random())}, {
        name: {"price": price} for name, price in zip(names, prices, strict=True)
    }


def event_of(decision: dw.Decision, number: int, context: Any, actions: Any) -> dict[str, Any]:
    """Return what a log keeps of a decision."""
    offered = {"event_id": str(number), "time": float(number), "context": context}
    return offered | {"actions": actions} | decision.as_event()


def lived(agent: dw.Agent, rounds: int = 40, delay: float = 0.0) -> list[dict[str, Any]]:
    """Let an agent with the encoder above decide and learn; return the log."""
    rng = np.random.default_rng(rounds)
    events: list[dict[str, Any]] = []
    waiting: list[tuple[float, int, dw.Decision, float]] = []
    for number in range(rounds):
        while waiting and waiting[0][0] <= number:
            _, _, decision, reward = waiting.pop(0)
            agent.learn(decision, reward)
        context, actions = offers(rng)
        decision = agent.choose(context=context, actions=actions)
        reward = float(rng.normal(0.3 * decision.arm, 0.1))
        arrival = number + delay * float(rng.random())
        waiting = sorted([*waiting, (arrival, number, decision, reward)], key=lambda each: each[:2])
        event = event_of(decision, number, context, actions)
        events.append(event | {"reward": reward, "reward_time": arrival})
    for _, _, decision, reward in waiting:
        agent.learn(decision, reward)
    return events


def moved(policy: Any, rounds: int = 60) -> dw.Agent:
    """Return an agent with the encoder above that has observed what somebody else chose."""
    agent = dw.Agent(policy, encoder=SHOP, is_interpreted=True)
    rng = np.random.default_rng(4)
    for _ in range(rounds):
        context, actions = offers(rng)
        name = str(rng.choice(list(actions)))
        agent.observe(actions[name], float(rng.random()), context=context, name=name)
    return agent
