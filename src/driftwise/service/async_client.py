"""The client for programs that have an event loop; it needs httpx."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

import httpx

from .asking import Answer, Asking, Batches, Caller, Outcome, decision_of

__all__ = ["AsyncClient"]


class AsyncClient(Caller):
    """Asks one problem of a service as `Client` does, without holding up an event loop.

    Close it by ``await client.close()``, or use it in an ``async with``.

    Parameters
    ----------
    address, problem, key, fallback, timeout
        As of `Client`.

    Examples
    --------
    >>> import asyncio
    >>> async def ask():
    ...     async with AsyncClient("http://127.0.0.1:9", "prices", fallback=1, timeout=0.1) as client:
    ...         return await client.decide({"device": "phone", "hour": 14})
    >>> decision = asyncio.run(ask())
    >>> decision.arm, decision.is_fallback
    (1, True)
    """

    def _open(self) -> None:
        self._session = httpx.AsyncClient(headers=self._headers, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._session.aclose()

    async def decide(
        self,
        context: Mapping[str, Any] | None = None,
        *,
        actions: Any = None,
        id: str | None = None,  # noqa: A002  # as the service calls it
        **others: Any,
    ) -> Outcome:
        """Return what to play; parameters as of `Client.decide`."""
        request = decision_of(context, actions, id, others)
        try:
            return Outcome.told(await self._ask("POST", "decisions", request))
        except ConnectionError:
            if self._fallback is None:
                raise
            return Outcome.fallen_back(request["id"], self._fallback)

    async def reward(self, id: str, reward: float, **others: Any) -> str:  # noqa: A002  # as above
        """Tell what came of a decision; return what it was taken for, as `Client.reward` does."""
        if Outcome.is_unknown(id):
            return "dropped"
        try:
            told = await self._ask("POST", "rewards", {"id": id, "reward": reward, **others})
        except ConnectionError:
            if self._fallback is None:
                raise
            return "lost"
        return str(told["status"])

    async def rewards(self, rewards: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Tell several rewards at once, each with ``id`` and ``reward``; return what each was."""
        batches = Batches(rewards)
        for part in batches.parts:
            try:
                reply = await self._ask("POST", "rewards:batch", {"rewards": part})
                batches.told(reply["results"])
            except ConnectionError:
                if self._fallback is None:
                    raise
                batches.lost(part)
        return batches.results

    async def status(self) -> dict[str, Any]:
        """Return how the problem does."""
        return await self._ask("GET", "", None)

    async def _ask(self, method: str, path: str, body: Any) -> dict[str, Any]:
        """Send until there is an answer or time is up."""
        content = None if body is None else json.dumps(body).encode()
        target = self._target(path)
        asking = Asking(self._addresses, self._timeout)
        while True:
            try:
                address = asking.asked.geturl().rstrip("/") + target
                reply = await self._session.request(
                    method, address, content=content, timeout=asking.left
                )
                told = reply.headers
                wait, owner = told.get("retry-after"), told.get("x-driftwise-owner")
                answer = Answer(reply.status_code, reply.content, wait, owner)
                if (found := asking.answered(answer)) is not None:
                    return found
            except (httpx.TransportError, json.JSONDecodeError) as error:
                asking.failed(error)
            await asyncio.sleep(asking.pause)
