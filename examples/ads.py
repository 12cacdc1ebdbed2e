"""Ads from dictionaries to decisions and back to a log: run it, it takes some seconds.

Visitors come with an hour and a segment; ads have a name, a price and a brand. Campaigns end, others begin,
and what people like turns around the clock and over the weeks. Clicks come late, or never.
"""

from __future__ import annotations

import copy
import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import driftwise as dw

DECLARATION = """
[context.hour]
kind = "cycle"
period = 24

[context.segment]
kind = "category"
values = ["new", "returning"]

[context.always]
kind = "constant"
alone = false

[action.price]
kind = "number"
low = 5
high = 20

[action.brand]
kind = "category"
buckets = 8

[cross]
terms = [["action.price", "context.segment"], ["action.price", "context.hour"]]

[per_action]
terms = ["context.always"]
places = 5
"""

CAMPAIGNS = {  # the first and the last visitor of each, its price, its brand, and how well it is liked
    "spring": (0, 2000, 9.9, "acme", 0.25),
    "classic": (0, 6000, 14.9, "apex", 0.20),
    "bargain": (0, 6000, 5.5, "acme", 0.15),
    "summer": (1500, 6000, 11.5, "zenith", 0.30),
    "autumn": (4000, 6000, 8.9, "brio", 0.35),
}


class Visitors:
    """Visitors, the ads on offer, and whether they click: the world, which the agent knows nothing of."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def arrive(self, number: int) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Return a context and the ads that may be shown."""
        segment = "new" if self._random.random() < 0.6 else "returning"
        context = {"hour": round(number / 40 % 24, 2), "segment": segment}
        running = {
            name: {"price": price, "brand": brand}
            for name, (first, last, price, brand, _) in CAMPAIGNS.items()
            if first <= number < last
        }
        return context, running

    def clicks(self, number: int, context: dict[str, Any], name: str) -> bool:
        """Return whether the ad is clicked: thrift comes at night, and bargains tire with time."""
        _, _, price, _, liked = CAMPAIGNS[name]
        evening = math.cos(2.0 * math.pi * context["hour"] / 24.0)
        chance = liked + 0.015 * (10.0 - price) * (evening if context["segment"] == "new" else 0.3)
        chance += 0.1 * math.sin(number / 900.0 + price)
        return bool(self._random.random() < min(max(chance, 0.01), 0.95))


def decide(agent: dw.Agent, visitors: Visitors, first: int, last: int) -> list[dict[str, Any]]:
    """Let an agent choose ads for some visitors and learn from clicks, up to 50 visitors later."""
    random = np.random.default_rng(first)
    events: list[dict[str, Any]] = []
    late: list[tuple[float, int, dw.Decision, float]] = []
    _, running = visitors.arrive(first)
    for number in range(first, last):
        while late and late[0][0] <= number:
            _, _, decision, reward = late.pop(0)
            agent.learn(decision, reward)
        context, actions = visitors.arrive(number)
        for name in running.keys() - actions.keys():
            agent.forget(name)  # the campaign is over: its place is free
        running = actions
        decision = agent.choose(context=context, actions=actions)
        reward = float(visitors.clicks(number, context, decision.name or ""))
        arrival = number + 50.0 * float(random.random())
        late = sorted([*late, (arrival, number, decision, reward)], key=lambda each: each[:2])
        event = {"event_id": f"visitor {number}", "time": float(number)}
        event |= {"context": context, "actions": actions} | decision.as_event()
        events.append(event | {"reward": reward, "reward_time": arrival})
    for _, _, decision, reward in late:
        agent.learn(decision, reward)
    return events


def click_rate(events: list[dict[str, Any]]) -> float:
    """Return the share of visitors that clicked."""
    return float(np.mean([event["reward"] for event in events]))


def main(folder: Path) -> None:
    """Dictionaries in, names out; a log written and checked; an agent warmed from it."""
    encoder = dw.features.Encoder.from_toml(DECLARATION)
    policy = dw.Exploring(dw.AdaptiveUCB(), share=0.1)
    agent = dw.Agent(policy, encoder=encoder, seed=0)
    print(f"{encoder.dimension} columns; the first of them: {', '.join(encoder.names[:5])}")

    events = decide(agent, Visitors(seed=1), 0, 6000)
    names = [list(event["actions"])[event["action"]] for event in events]
    print(
        f"6,000 visitors, clicks: {click_rate(events):.3f}; the last ads: {', '.join(names[-3:])}"
    )

    path = folder / "ads.jsonl"
    path.write_text("\n".join(map(json.dumps, events)))
    log = dw.Log.read(path)
    found = log.soundness()
    print(f"The log of {len(log):,} events is {'sound' if found.is_sound else 'not sound'}.")

    # Other shops open, with what the first one learnt or with nothing.
    recent = log[4000:]
    learnt = dw.Agent(policy, encoder=encoder, seed=7).warmed(recent)
    rates: dict[str, list[float]] = {"with the log": [], "without": []}
    for shop in range(10):
        for how, start in (("with the log", learnt), ("without", learnt.replayed([]))):
            shown = decide(copy.deepcopy(start), Visitors(seed=100 + shop), 5800, 6000)
            rates[how].append(click_rate(shown))
    for how, each in rates.items():
        print(f"The first 200 visitors of ten shops that begin {how}: {sum(each) / 10:.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))
