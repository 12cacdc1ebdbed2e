"""What a log tells an agent: events in the order in which things happened, and each as a lesson."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from ..base.waiting import watched
from ..contract.decision import Decision
from ..contract.records import from_plain
from .deciding import Deciding

__all__ = ["Entry", "learn_events", "relive"]

Event = Mapping[str, Any]
Entry = Decision | tuple[Decision, float | None]
Happening = TypeVar("Happening")


class Moment(NamedTuple):
    """A decision that was made, or a reward that came, or a name that was forgotten."""

    number: int  # of the event, from 0
    event: Event
    is_reward: bool
    forgotten: str | None = None


def moments_of(events: Iterable[Event]) -> Iterator[Moment]:
    """Yield decisions and rewards in the order of time, and names where they were forgotten.

    A reward comes at its ``reward_time``, before a decision of the same time; where the log does not
    tell, before the next decision. What has not come by the last decision comes after it.

    Examples
    --------
    >>> events = [{"time": 1, "reward": 0.5, "reward_time": 7}, {"time": 2, "reward": 0.6}]
    >>> [(moment.number, moment.is_reward) for moment in moments_of(events)]
    [(0, False), (1, False), (1, True), (0, True)]
    """
    waiting: list[tuple[float, int, Event]] = []  # by time of arrival
    came: list[Moment] = []  # rewards since the decision before
    for index, event in enumerate(events):
        time = event.get("time")
        while time is not None and waiting and waiting[0][0] <= time:
            _, earlier, known = heapq.heappop(waiting)
            came.append(Moment(earlier, known, True))
        for each in _with_forgotten(came, forgotten_in(event)):
            yield Moment(index, event, False, each) if isinstance(each, str) else each
        yield Moment(index, event, False)
        came = []
        if event.get("reward") is None:
            continue
        arrival = event.get("reward_time")
        if time is None or arrival is None:
            came.append(Moment(index, event, True))
        else:
            heapq.heappush(waiting, (arrival, index, event))
    yield from came
    while waiting:
        _, earlier, known = heapq.heappop(waiting)
        yield Moment(earlier, known, True)


def _with_forgotten(
    came: Sequence[Happening], forgotten: Mapping[str, float]
) -> Iterator[Happening | str]:
    """Yield what came between two decisions, and names after as many of it as had come by then."""
    for count, each in enumerate(came):
        yield from (name for name, before in forgotten.items() if before == count)
        yield each
    yield from (name for name, before in forgotten.items() if before >= len(came))


def forgotten_in(event: Event) -> dict[str, float]:
    """Return after how many rewards each name was forgotten; a list of names says after all."""
    told = event.get("forgotten") or {}
    return dict(told) if isinstance(told, Mapping) else dict.fromkeys(told, math.inf)


def learn_events(agent: Deciding, events: Iterable[Event]) -> None:
    """Let an agent observe every reward of a log, when it came; an error names the event."""
    for index, event, is_reward, name in moments_of(watched(_require_log(events), "Learning")):
        with _naming(index, event):
            if name is not None:
                agent._part_with(name)
            elif is_reward:
                agent.observe(**lesson_of(agent, event))


def _require_log(log: Iterable[Happening]) -> Iterable[Happening]:
    if isinstance(log, str | os.PathLike):
        raise TypeError(f"log must be one that is read by dw.Log.read, got {log!r}")
    return log


def relive(agent: Deciding, log: Iterable[Entry | Event]) -> int:
    """Let an agent go through its own log again; return how many decisions there were."""
    entries = watched(_require_log(log), "Replaying")
    first = next(entries, None)
    if first is None:
        return 0
    every: Iterator[Any] = chain([first], entries)
    return _relive_events(agent, every) if isinstance(first, Mapping) else _relive(agent, every)


def _relive(agent: Deciding, entries: Iterable[Entry]) -> int:
    n_made = 0
    came: list[tuple[Decision, float | None]] = []  # since the decision before
    for entry in chain(entries, [None]):
        if isinstance(entry, tuple) and not isinstance(entry, Decision):
            came.append(entry)
            continue
        gone = {} if entry is None else {each.name: each for each in entry.forgotten}
        for each in _with_forgotten(came, {name: gone[name].n_rewards for name in gone}):
            if isinstance(each, str):
                agent._part_with(each, gone[each].place)
            elif each[1] is None:
                agent.give_up(each[0])
            else:
                agent.learn(*each)  # type: ignore[arg-type]  # a reward
        came = []
        if entry is not None:
            agent._made(entry)
            n_made += 1
    return n_made


def _relive_events(agent: Deciding, events: Iterable[Event]) -> int:
    made: dict[int, Decision] = {}  # those that have no reward yet, but will
    n_made = 0
    for index, event, is_reward, forgotten in moments_of(events):
        with _naming(index, event):
            if forgotten is not None:
                agent._part_with(forgotten)
                continue
            if is_reward:
                agent.learn(made.pop(index), event["reward"])
                continue
            decision = decision_of(agent, event)
            agent._made(decision)
            n_made += 1
            if event.get("reward") is not None:
                made[index] = decision
    return n_made


def lesson_of(agent: Deciding, event: Event) -> dict[str, Any]:
    """Return what `Agent.observe` is to be told of an event."""
    index = event["action"]
    lesson = {"reward": event["reward"], "propensity": event.get("propensity")}
    if agent.encoder is None:
        rows = event.get("decision_set")
        return lesson | {"action": _arm_in(agent, event) if rows is None else rows[index]}
    offered = _offered_in(event)
    if isinstance(offered, Mapping):
        name, features = list(offered.items())[index]
        return lesson | {"context": event.get("context"), "action": features, "name": name}
    return lesson | {"context": event.get("context"), "action": offered[index]}


def decision_of(agent: Deciding, event: Event) -> Decision:
    """Return the decision that an event tells of; names that are new get their places."""
    for field in ("policy", "luck", "choice"):
        if event.get(field) is None:
            raise ValueError(
                f"{field} must be in a log to be replayed, got none: a log of another system "
                f"is for `Agent.warmed`"
            )
    if agent.encoder is None:
        rows, arm = event.get("decision_set"), event["action"]
        row = agent._offers.placed(_arm_in(agent, event))[1] if rows is None else rows[arm]
        name, place = None, None
    else:
        encoded = agent._offered(None, event.get("context"), _offered_in(event))
        row = encoded.rows[event["action"]]
        name, place, _ = agent._seated(encoded, event["action"])
    choice = from_plain(event["choice"])
    parts = {"policy": event["policy"], "luck": event["luck"], "choice": choice}
    return Decision.from_parts(action=row, name=name, place=place, **parts)


def _offered_in(event: Event) -> Any:
    """Return the actions of an event as dictionaries, in a list or by name."""
    actions = event.get("actions")
    if not actions:
        raise ValueError("actions must be in a log for an agent with an encoder, got none")
    if isinstance(actions, list) and isinstance(actions[0], str):
        return {name: {} for name in actions}
    return actions


def _arm_in(agent: Deciding, event: Event) -> int:
    """Return the arm of an event that has no rows: there must be as many as the agent has."""
    n_arms, actions = agent._offers.shape[0], event.get("actions")
    if actions is not None and len(actions) != n_arms:
        wanted = f"{n_arms} actions" if n_arms else "a decision_set"
        raise ValueError(f"an event must have {wanted} for this agent, got {len(actions)} actions")
    return int(event["action"])


@contextmanager
def _naming(index: int, event: Event) -> Iterator[None]:
    """Say in an error which event it is about."""
    try:
        yield
    except (TypeError, ValueError, LookupError) as error:
        known = "" if event.get("event_id") is None else f" ({event['event_id']!r})"
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"event {index}{known}: {error}") from error
