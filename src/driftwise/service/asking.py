"""One request to a service, without sending it: what its answer means, and when to send it again."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import SplitResult

from .addresses import PATIENCE, Addresses

__all__ = ["Answer", "Asking", "Batches", "Caller", "ClientError", "Outcome", "decision_of"]

_NOBODY = frozenset({502, 504})  # what a proxy says when nobody answers it
_AGAIN = frozenset({421, 429, 503})  # statuses after which the same request may succeed
_LONGEST_PAUSE = 0.25  # seconds, where another node may take over at any moment
_MOST_MOVES = 3  # from node to node, before a pause


class ClientError(Exception):
    """The service refuses a request, and would refuse it again.

    Parameters
    ----------
    status
        As HTTP numbers it.
    detail
        What is wrong, in the service's words.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(status, detail)
        self.status, self.detail = status, detail

    def __str__(self) -> str:
        return f"{self.status}: {self.detail}"


class Outcome(NamedTuple):
    """A decision."""

    id: str
    arm: int
    name: str | None
    propensity: float | None
    branch: str
    is_fallback: bool  # the service was away: it knows nothing of this decision

    @classmethod
    def told(cls, reply: Mapping[str, Any]) -> Outcome:
        """Return the decision of a reply."""
        told = {key: reply[key] for key in cls._fields[:-1]}
        return cls(**told, is_fallback=False)

    @classmethod
    def fallen_back(cls, name: str, arm: int) -> Outcome:
        """Return the decision of a client that nobody answers."""
        return cls(f"fallback-{name}", arm, None, None, "fallback", True)

    @staticmethod
    def is_unknown(name: str) -> bool:
        """Return whether a decision was made by a client alone, so that its reward is of no use."""
        return name.startswith("fallback-")


class Batches:
    """Rewards that are told many at a time, and what became of each; those that nobody waits for are dropped.

    Parameters
    ----------
    rewards
        Each with ``id`` and ``reward``.
    """

    def __init__(self, rewards: Iterable[Mapping[str, Any]]) -> None:
        self._every = [dict(each) for each in rewards]
        sent = [each for each in self._every if not Outcome.is_unknown(str(each.get("id")))]
        self.parts = [sent[start : start + 1000] for start in range(0, len(sent), 1000)]
        self._told: list[dict[str, Any]] = []  # of those that were sent

    def told(self, results: Iterable[dict[str, Any]]) -> None:
        """Take what became of the next part."""
        self._told += results

    def lost(self, part: Iterable[Mapping[str, Any]]) -> None:
        """Take that nobody answered."""
        self._told += [{"id": each.get("id"), "status": "lost"} for each in part]

    @property
    def results(self) -> list[dict[str, Any]]:
        """What each was taken for, in order."""
        told = iter(self._told)
        return [
            {"id": each["id"], "status": "dropped"}
            if Outcome.is_unknown(str(each.get("id")))
            else next(told)
            for each in self._every
        ]


class Answer(NamedTuple):
    """What came back."""

    status: int
    text: bytes
    wait: str | None  # seconds, as the service advises, or a date, as proxies may
    owner: str | None  # the address of the node that is to be asked instead


def decision_of(
    context: Mapping[str, Any] | None, actions: Any, name: str | None, others: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the request for a decision, with an id, so that it may be sent again."""
    request = {"id": f"c-{secrets.token_hex(12)}" if name is None else name, **others}
    if context is not None:
        request["context"] = dict(context)
    if actions is not None:
        request["actions"] = actions
    return request


class Caller:
    """What all clients are told; what they do with it is in `Client` and `AsyncClient`."""

    def __init__(
        self,
        address: str | Sequence[str],
        problem: str,
        *,
        key: str | None = None,
        fallback: int | None = None,
        timeout: float = 2.0,
    ) -> None:
        self._addresses, self._problem = Addresses(address), problem
        self._fallback, self._timeout = fallback, timeout
        self._headers = {"content-type": "application/json"}
        if key is not None:
            self._headers["authorization"] = f"Bearer {key}"
        self._open()

    def _open(self) -> None:
        """Get ready to connect."""
        raise NotImplementedError

    def _target(self, path: str) -> str:
        return f"/v1/{self._problem}" + (f"/{path}" if path else "")


class Asking:
    """One request until it is answered or time is up.

    Whoever sends it tells `answered` or `failed`, and waits for `pause` before the next attempt.

    Parameters
    ----------
    addresses
        Whom to ask.
    timeout
        Seconds for all attempts together.
    is_repeatable
        Whether it may be done twice; else it is sent once.
    """

    def __init__(self, addresses: Addresses, timeout: float, *, is_repeatable: bool = True) -> None:
        self._addresses, self._is_repeatable = addresses, is_repeatable
        self._deadline = time.monotonic() + timeout
        self._pause, self._n_moves, self._reason = 0.02, 0, "no answer"
        self.asked: SplitResult = addresses.now

    @property
    def left(self) -> float:
        """Seconds to wait for an answer to this attempt."""
        left = max(0.01, self._deadline - time.monotonic())
        if len(self._addresses) > 1 and self._is_repeatable:
            return min(left, PATIENCE)
        return left

    def answered(self, answer: Answer) -> dict[str, Any] | None:
        """Return the reply, or None if it is to be sent again; raise what the service refuses."""
        status, text, wait, owner = answer
        if status in _NOBODY:
            self.failed(ConnectionError(f"a proxy says {status}"))
            return None
        if status == 421 and owner and self._addresses.moved(self.asked, owner):
            if self._n_moves < _MOST_MOVES:
                self._n_moves += 1
                self.asked = self._addresses.now
                return None
            self._put_off("each node names another one")
        elif status not in _AGAIN or (status == 503 and not self._is_repeatable):
            reply = json.loads(text or b"{}")
            if status >= 400:
                raise ClientError(status, str(reply.get("detail", "")))
            return reply  # type: ignore[no-any-return]  # an object
        else:
            if status == 429 or len(self._addresses) == 1:
                advised = float(wait) if wait is not None and wait.isdigit() else 0.0
                self._pause = max(self._pause, min(advised, 0.5))
            else:
                self._addresses.failed(self.asked)
            self._put_off(f"{status}")
        return None

    def failed(self, error: Exception) -> None:
        """Take note that no answer came."""
        self._addresses.failed(self.asked)
        if not self._is_repeatable:
            raise ConnectionError(
                f"{self.asked.netloc} gave no answer, and may have done it or not: {error!r}"
            ) from error
        self._put_off(repr(error))

    def _put_off(self, reason: str) -> None:
        self._n_moves, self._reason = 0, reason

    @property
    def pause(self) -> float:
        """Seconds before the next attempt; time may be up before."""
        if self._n_moves:
            return 0.0
        longest = 1.0 if len(self._addresses) == 1 else _LONGEST_PAUSE
        # Of random length, so that not all come at once.
        self._pause = min(2 * self._pause, longest) * random.uniform(0.5, 1.0)
        if time.monotonic() + self._pause > self._deadline:
            raise ConnectionError(f"{self.asked.netloc} does not answer: {self._reason}")
        self.asked = self._addresses.now
        return self._pause
