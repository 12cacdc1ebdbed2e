"""A shop that asks for prices and tells, some time later, what was paid: to see the service move."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable

import numpy as np

from .client import Client
from .problem.settings import Problem

__all__ = ["Shop"]

_DAY = 120.0  # seconds: what customers would pay moves within minutes, so that one can watch


class Shop:
    """Customers at random times; what they would pay drifts, differently for each kind of device.

    Parameters
    ----------
    address
        Where the service is.
    problem
        Whose arms are prices: the first the lowest.
    rate
        Customers a second.
    """

    def __init__(self, address: str, problem: Problem, rate: float = 20.0) -> None:
        self._client = Client(address, problem.name, fallback=0)
        self._arms, self._high, self._rate = problem.arms, problem.reward.high, rate
        self._ends = threading.Event()
        self._luck = np.random.default_rng(0)

    def start(self) -> Callable[[], None]:
        """Begin, in a thread; call what is returned to end."""
        thread = threading.Thread(target=self._trade, name="driftwise shop", daemon=True)
        thread.start()

        def end() -> None:
            self._ends.set()
            thread.join(5)
            self._client.close()

        return end

    def _trade(self) -> None:
        due: list[tuple[float, str, float]] = []
        while not self._ends.wait(self._luck.exponential(1 / self._rate)):
            now = time.monotonic()
            device, hour = str(self._luck.choice(["phone", "laptop"])), int(now / _DAY * 24) % 24
            decision = self._client.decide({"device": device, "hour": hour})
            if not decision.is_fallback:
                paid = self._paid(device, hour, decision.arm)
                delay = self._luck.exponential(3.0)
                if self._luck.random() < 0.97:  # of some nothing is ever heard
                    heapq.heappush(due, (now + delay, decision.id, paid))
            while due and due[0][0] <= now:
                _, name, paid = heapq.heappop(due)
                self._client.reward(name, paid)

    def _paid(self, device: str, hour: int, arm: int) -> float:
        price = self._high * (arm + 1) / (len(self._arms) + 1)
        season = math.sin(2 * math.pi * hour / 24)
        worth = self._high * (0.5 + (0.25 if device == "laptop" else -0.25) * season)
        return price if worth + self._luck.normal(0, 0.15 * self._high) >= price else 0.0
