"""Customers who ask a service that fails, and what its log says of all that was acknowledged to them."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from driftwise.service.client import Client
from driftwise.service.events import Decided, Rewarded, Row, Status, event_of

__all__ = ["PROBLEM", "Acknowledged", "Customer", "acknowledged", "longest_gap"]

PROBLEM = """
name = "killed"
arms = ["a", "b", "c", "d"]
[reward]
window = "1h"
"""
_PATIENCE = 60.0  # seconds, also where a machine has much else to do


class Customer(threading.Thread):
    """Asks, retries, and keeps what was acknowledged."""

    def __init__(self, number: int, addresses: str | Sequence[str], ends: threading.Event) -> None:
        super().__init__(name=f"customer {number}")
        self._number, self._ends = number, ends
        self._client = Client(addresses, "killed", timeout=_PATIENCE)
        self.decided: dict[str, int] = {}
        self.rewarded: dict[str, float] = {}
        self.moments: list[float] = []  # when a decision was acknowledged
        self.failures: list[str] = []  # what the client could not hide

    def run(self) -> None:
        """Ask until it ends."""
        luck, count = random.Random(self._number), 0
        while not self._ends.is_set():
            count += 1
            name = f"c{self._number}-{count}"
            try:
                self.decided[name] = self._client.decide(id=name).arm
                self.moments.append(time.monotonic())
                if luck.random() < 0.8:
                    value = luck.choice([0.0, 0.5, 1.0])
                    self._client.reward(name, value)
                    self.rewarded[name] = value
            except ConnectionError as error:
                self.failures.append(str(error))
        self._client.close()


class Acknowledged(NamedTuple):
    """What was acknowledged to all customers together, and what the log says about it."""

    decisions: int
    rewards: int
    lost: int  # acknowledged, and not in the log, or with another arm
    twice: int  # decisions or rewards that count more than once


def acknowledged(customers: Sequence[Customer], rows: Sequence[Row]) -> Acknowledged:
    """Look in a log for all that was acknowledged."""
    arms, values = dict[str, int](), dict[str, float]()
    counts = Counter[tuple[str, str]]()
    for row in rows:
        body = event_of(row).body
        if isinstance(body, Decided):
            arms[row.id] = body.arm
            counts["decided", row.id] += 1
        elif isinstance(body, Rewarded) and body.status == Status.LEARNT:
            values[row.id] = body.value
            counts["learnt", row.id] += 1
    lost = 0
    for customer in customers:
        lost += sum(arms.get(name) != arm for name, arm in customer.decided.items())
        lost += sum(values.get(name) != value for name, value in customer.rewarded.items())
    return Acknowledged(
        decisions=sum(len(customer.decided) for customer in customers),
        rewards=sum(len(customer.rewarded) for customer in customers),
        lost=lost,
        twice=sum(count > 1 for count in counts.values()),
    )


def longest_gap(customers: Sequence[Customer], begin: float, end: float) -> float:
    """Return the longest time in which nobody was acknowledged a decision."""
    moments = sorted(t for customer in customers for t in customer.moments if begin <= t <= end)
    edges = [begin, *moments, end]
    return max(after - before for before, after in itertools.pairwise(edges))
