"""A client for those who operate a service: its key is of the scope admin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .client import Client

__all__ = ["Operator"]


class Operator(Client):
    """Changes a service that goes on serving; each change is in its log, with who and why.

    A change is sent once: if no answer comes, `ConnectionError` says that it may have been done. With
    ``dry=True`` nothing changes, and what would change is returned.

    Parameters
    ----------
    address, problem, key
        As of `Client`.
    timeout
        Seconds that a change may take: a policy learns the whole log anew.

    Examples
    --------
    >>> operator = Operator("http://127.0.0.1:9", "prices", timeout=0.1)
    >>> operator.rewind(to=80_000, why="the price feed was wrong", dry=True)
    Traceback (most recent call last):
    ConnectionError: 127.0.0.1:9 gave no answer, and may have done it or not: ConnectionRefusedError(111, 'Connection refused')
    """

    def __init__(
        self,
        address: str | Sequence[str],
        problem: str,
        *,
        key: str | None = None,
        timeout: float = 600.0,
    ) -> None:
        super().__init__(address, problem, key=key, timeout=timeout)

    def control(self, *, why: str, **changes: Any) -> dict[str, Any]:
        """Change ``mode``, ``freeze``, ``held``, ``off`` or ``exploration``; return how the problem does."""
        return self._change("control", why, changes)

    def policy(self, policy: Mapping[str, Any], *, why: str, dry: bool = False) -> dict[str, Any]:
        """Go on with another policy, given as in a problem file, that has learnt the whole log."""
        return self._change("policy", why, {"policy": dict(policy), "dry": dry})

    def promote(self, shadow: str, *, why: str, dry: bool = False) -> dict[str, Any]:
        """Go on with the policy of a shadow."""
        return self._change("promote", why, {"shadow": shadow, "dry": dry})

    def rewind(self, to: int, *, why: str, dry: bool = False) -> dict[str, Any]:
        """Forget what was learnt after an event."""
        return self._change("rewind", why, {"to": to, "dry": dry})

    def censor(self, *, why: str, dry: bool = False, **which: Any) -> dict[str, Any]:
        """Forget some rewards: by ``first`` and ``to``, ``since`` and ``until``, ``ids`` or ``arm``."""
        if "first" in which:
            which["from"] = which.pop("first")
        return self._change("censor", why, which | {"dry": dry})

    def erase(
        self,
        ids: Sequence[str] = (),
        context: Mapping[str, Any] | None = None,
        *,
        user: str | None = None,
        why: str,
        dry: bool = False,
    ) -> dict[str, Any]:
        """Take what is about a person out of the log; what was learnt stays."""
        which = {"ids": list(ids), "user": user, "context": dict(context or {}), "dry": dry}
        return self._change("erase", why, which)

    def archive(
        self, *, why: str, to: int | None = None, before: str | None = None
    ) -> dict[str, Any]:
        """Move events up to one, or before a moment, to a file in the service's folder."""
        return self._change("archive", why, {"to": to, "before": before})

    def restore(self, files: Sequence[str], *, why: str) -> dict[str, Any]:
        """Put archived rows back, from files of the service's folder."""
        return self._change("restore", why, {"files": list(files)})

    def backup(self, *, why: str) -> dict[str, Any]:
        """Copy the log into the service's folder."""
        return self._change("backup", why, {})

    def _change(self, what: str, why: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        return self._ask("POST", what, {"why": why, **fields}, is_repeatable=False)
