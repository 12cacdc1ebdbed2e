"""A client that retries safely and falls back when the service is away; standard library only."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Self
from urllib.parse import SplitResult

from .asking import Answer, Asking, Batches, Caller, ClientError, Outcome, decision_of

__all__ = ["Client", "ClientError", "Outcome"]


class Client(Caller):
    """Asks one problem of a service; threads may share it.

    It makes the ids, so that a request may be sent again: the same decision comes back, and a reward
    counts once. Close it, or use it in a ``with``. What is refused is raised; what cannot be answered in time is played by `fallback`.

    Parameters
    ----------
    address
        Such as ``"http://127.0.0.1:8080"``; of several nodes a list, any of which names the one to ask.
    problem
        Its name.
    key
        Of the scopes that are used.
    fallback
        The arm to play when the service is away; None raises `ConnectionError` then.
    timeout
        Seconds within which a request is answered, retries among them.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:9", "prices", fallback=1, timeout=0.1)
    >>> decision = client.decide({"device": "phone", "hour": 14})
    >>> decision.arm, decision.is_fallback
    (1, True)
    >>> client.reward(decision.id, 1.0)
    'dropped'
    """

    def _open(self) -> None:
        # Connections that nobody uses right now, so that there are as many as were used at once.
        self._idle: dict[SplitResult, list[http.client.HTTPConnection]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections that nobody uses."""
        for idle in self._idle.values():
            while (connection := _taken(idle)) is not None:
                connection.close()

    def decide(
        self,
        context: Mapping[str, Any] | None = None,
        *,
        actions: Any = None,
        id: str | None = None,  # noqa: A002  # as the service calls it
        **others: Any,
    ) -> Outcome:
        """Return what to play.

        Parameters
        ----------
        context, actions
            As the problem declares them.
        id
            Of your own, such as that of an order; one is made if left out.
        **others
            ``baseline``, ``off`` and ``user``, as the service takes them.
        """
        request = decision_of(context, actions, id, others)
        try:
            return Outcome.told(self._ask("POST", "decisions", request))
        except ConnectionError:
            if self._fallback is None:
                raise
            return Outcome.fallen_back(request["id"], self._fallback)

    def reward(self, id: str, reward: float, **others: Any) -> str:  # noqa: A002  # as above
        """Tell what came of a decision; return what it was taken for.

        Of a decision that the fallback made the service knows nothing: it is dropped.
        """
        if Outcome.is_unknown(id):
            return "dropped"
        try:
            told = self._ask("POST", "rewards", {"id": id, "reward": reward, **others})
        except ConnectionError:
            if self._fallback is None:
                raise
            return "lost"
        return str(told["status"])

    def rewards(self, rewards: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Tell several rewards at once, each with ``id`` and ``reward``; return what each was."""
        batches = Batches(rewards)
        for part in batches.parts:
            try:
                batches.told(self._ask("POST", "rewards:batch", {"rewards": part})["results"])
            except ConnectionError:
                if self._fallback is None:
                    raise
                batches.lost(part)
        return batches.results

    def status(self) -> dict[str, Any]:
        """Return how the problem does."""
        return self._ask("GET", "", None)

    def _ask(
        self, method: str, path: str, body: Any, *, is_repeatable: bool = True
    ) -> dict[str, Any]:
        """Send until there is an answer or time is up; what may not be done twice is sent once."""
        content = None if body is None else json.dumps(body).encode()
        asking = Asking(self._addresses, self._timeout, is_repeatable=is_repeatable)
        while True:
            try:
                answer = self._send(asking.asked, method, self._target(path), content, asking.left)
                if (reply := asking.answered(answer)) is not None:
                    return reply
            except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
                asking.failed(error)
            time.sleep(asking.pause)

    def _send(
        self, asked: SplitResult, method: str, target: str, content: bytes | None, left: float
    ) -> Answer:
        idle = self._idle.setdefault(asked, [])
        connection = _taken(idle) or _connection(asked)
        try:
            connection.timeout = left
            if connection.sock is not None:
                connection.sock.settimeout(left)
            path = asked.path.rstrip("/") + target
            connection.request(method, path, content, self._headers)
            reply = connection.getresponse()
            wait, owner = (reply.headers.get(name) for name in ("retry-after", "x-driftwise-owner"))
            answer = Answer(reply.status, reply.read(), wait, owner)
        except BaseException:
            connection.close()
            while (old := _taken(idle)) is not None:  # which are as old, and probably gone, too
                old.close()
            raise
        idle.append(connection)
        return answer


def _taken(idle: list[http.client.HTTPConnection]) -> http.client.HTTPConnection | None:
    """Return one that nobody uses, if there is any: to look first would let another thread take it."""
    try:
        return idle.pop()
    except IndexError:
        return None


def _connection(asked: SplitResult) -> http.client.HTTPConnection:
    is_safe = asked.scheme == "https"
    kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
    return kind(asked.hostname or "", asked.port)
