"""Which node a client asks: the one that owns the problem, as far as is known."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

__all__ = ["PATIENCE", "Addresses"]

PATIENCE = 0.5  # seconds to wait for one of several nodes: the others may know better


class Addresses:
    """Some nodes, of which one is asked; threads may share it.

    Parameters
    ----------
    given
        Addresses such as ``"http://127.0.0.1:8080"``; one, or several.
    """

    def __init__(self, given: str | Sequence[str]) -> None:
        self._all = [_parts(each) for each in ([given] if isinstance(given, str) else given)]
        if not self._all:
            raise ValueError("there must be at least one address, got none")
        self.now = self._all[0]

    def __len__(self) -> int:
        return len(self._all)

    def moved(self, asked: SplitResult, owner: str) -> bool:
        """Go to the node that owns the problem; return whether it can be asked.

        A key that was sent by HTTPS is not sent without.
        """
        try:
            parts = _parts(owner)
        except ValueError:
            return False
        if asked.scheme == "https" and parts.scheme != "https":
            return False
        if parts not in self._all:
            self._all.append(parts)
        self.now = parts
        return True

    def failed(self, asked: SplitResult) -> None:
        """Ask the next one, unless somebody else has found a better one meanwhile."""
        if self.now == asked:
            place = self._all.index(asked) if asked in self._all else -1
            self.now = self._all[(place + 1) % len(self._all)]


def _parts(address: str) -> SplitResult:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise ValueError(f"address must be such as http://127.0.0.1:8080, got {address!r}")
    return parts
