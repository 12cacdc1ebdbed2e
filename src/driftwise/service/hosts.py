"""Whether an address is of this machine."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import urlsplit

__all__ = ["is_of_this_machine", "names_this_machine"]


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
