"""A client that retries safely and falls back when the service is away; standard library only."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self
from urllib.parse import SplitResult

from .addresses import PATIENCE, Addresses

__all__ = ["Client", "ClientError", "Outcome"]

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


class Client:
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
        self._own = threading.local()  # a connection for each thread
        self._every: list[http.client.HTTPConnection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        while self._every:
            self._every.pop().close()

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
            ``baseline`` and ``off``, as the service takes them.
        """
        name = f"c-{secrets.token_hex(12)}" if id is None else id
        request = {"id": name, **others}
        if context is not None:
            request["context"] = dict(context)
        if actions is not None:
            request["actions"] = actions
        try:
            reply = self._ask("POST", "decisions", request)
        except ConnectionError:
            if self._fallback is None:
                raise
            return Outcome(f"fallback-{name}", self._fallback, None, None, "fallback", True)
        told = {key: reply[key] for key in Outcome._fields[:-1]}
        return Outcome(**told, is_fallback=False)

    def reward(self, id: str, reward: float, **others: Any) -> str:  # noqa: A002  # as above
        """Tell what came of a decision; return what it was taken for.

        Of a decision that the fallback made the service knows nothing: it is dropped.
        """
        if id.startswith("fallback-"):
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
        found: list[dict[str, Any]] = []
        every = list(rewards)
        for start in range(0, len(every), 1000):
            some = {"rewards": [dict(each) for each in every[start : start + 1000]]}
            found += self._ask("POST", "rewards:batch", some)["results"]
        return found

    def status(self) -> dict[str, Any]:
        """Return how the problem does."""
        return self._ask("GET", "", None)

    def _ask(
        self, method: str, path: str, body: Any, *, is_repeatable: bool = True
    ) -> dict[str, Any]:
        """Send until there is an answer or time is up; what may not be done twice is sent once."""
        content = None if body is None else json.dumps(body).encode()
        target = f"/v1/{self._problem}" + (f"/{path}" if path else "")
        deadline, pause, n_moves = time.monotonic() + self._timeout, 0.02, 0
        while True:
            reason, asked = "no answer", self._addresses.now
            try:
                status, text, wait, owner = self._send(
                    asked, method, target, content, deadline, is_repeatable
                )
                if status == 421 and owner and self._addresses.moved(asked, owner):
                    if n_moves < _MOST_MOVES:
                        n_moves += 1
                        continue
                    reason = "each node names another one"
                elif status not in _AGAIN or (status == 503 and not is_repeatable):
                    reply = json.loads(text or b"{}")
                    if status >= 400:
                        raise ClientError(status, str(reply.get("detail", "")))
                    return reply  # type: ignore[no-any-return]  # an object
                else:
                    reason = f"{status}"
                    if status == 429 or len(self._addresses) == 1:
                        pause = max(pause, min(wait, 0.5))
                    else:
                        self._addresses.failed(asked)
            except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
                reason = repr(error)
                self._own.connections[asked].close()  # it opens again by itself
                self._addresses.failed(asked)
                if not is_repeatable:
                    raise ConnectionError(
                        f"{asked.netloc} gave no answer, and may have done it or not: {reason}"
                    ) from error
            n_moves = 0
            longest = 1.0 if len(self._addresses) == 1 else _LONGEST_PAUSE
            pause = min(2 * pause, longest) * random.uniform(
                0.5, 1.0
            )  # so that not all come at once
            if time.monotonic() + pause > deadline:
                raise ConnectionError(f"{asked.netloc} does not answer: {reason}")
            time.sleep(pause)

    def _send(
        self,
        asked: SplitResult,
        method: str,
        target: str,
        content: bytes | None,
        deadline: float,
        is_repeatable: bool,
    ) -> tuple[int, bytes, float, str | None]:
        if not hasattr(self._own, "connections"):
            self._own.connections = {}
        connection = self._own.connections.get(asked)
        left = max(0.01, deadline - time.monotonic())
        if len(self._addresses) > 1 and is_repeatable:
            left = min(left, PATIENCE)
        if connection is None:
            is_safe = asked.scheme == "https"
            kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
            connection = kind(asked.hostname or "", asked.port, timeout=left)
            self._own.connections[asked] = connection
            self._every.append(connection)
        connection.timeout = left
        if connection.sock is not None:
            connection.sock.settimeout(left)
        path = asked.path.rstrip("/") + target
        connection.request(method, path, content, self._headers)
        reply = connection.getresponse()
        wait, owner = (reply.headers.get(name) for name in ("retry-after", "x-driftwise-owner"))
        return reply.status, reply.read(), float(wait or 0), owner
