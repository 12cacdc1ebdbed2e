"""What policies believe costs milliseconds to tell: once a second for each problem, and kept for as long."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ..requests import RefusalError

__all__ = ["Beliefs"]

_PERIOD = 1.0  # seconds


class _Told(NamedTuple):
    t: float
    question: bytes
    answer: bytes


class Beliefs:
    """The last answer of each problem."""

    def __init__(self) -> None:
        self._last: dict[str, _Told] = {}

    async def told(self, name: str, question: bytes, ask: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the answer to a question: the last one again within a second, in which others are refused."""
        last, now = self._last.get(name), time.monotonic()
        if last is not None and now < last.t + _PERIOD:
            if last.question == question:
                return last.answer
            raise RefusalError(429, "belief may be asked for once a second", 1)
        # Nobody asks meanwhile; what is refused does not count.
        self._last[name] = _Told(now, b"", b"")
        try:
            answer = await ask()
        except RefusalError:
            del self._last[name]
            raise
        self._last[name] = _Told(now, question, answer)
        return answer
