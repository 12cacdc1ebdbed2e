"""Whether an address is of this machine, and whether a request comes from here."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from .requests import RefusalError

__all__ = ["is_of_this_machine", "names_this_machine", "require_near"]


def is_of_this_machine(host: str) -> bool:
    """Return whether nobody else can reach this host, as it is given to `driftwise serve`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=64)
def names_this_machine(header: bytes) -> bool:
    """Return whether the header ``host`` of a request does, or is empty, as only old programs send it."""
    try:
        return not header or is_of_this_machine(urlsplit(f"//{header.decode()}").hostname or "")
    except ValueError:
        return False


def require_near(headers: Iterable[tuple[bytes, bytes]], origins: Collection[str]) -> None:
    """Refuse what a browser here was made to send, as long as there are no keys.

    Parameters
    ----------
    headers
        Of the request.
    origins
        Whose pages may ask all the same.
    """
    host = origin = b""
    for key, value in headers:
        if key == b"host":
            host = value
        elif key == b"origin":
            origin = value
    if not names_this_machine(host):
        raise RefusalError(403, "host must be of this machine, as long as there are no keys")
    # Its own pages name the host that they came from.
    if origin and origin.rpartition(b"/")[2] != host and origin.decode("latin-1") not in origins:
        raise RefusalError(
            403, "a page of another site must be listed by --origin, as long as there are no keys"
        )
