"""A network namespace for a node: one link to those who ask it, another to the database, which can be cut."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from contextlib import suppress
from functools import cache

__all__ = ["Network"]

_RANGE = "198.18"  # which is for measurements (RFC 2544): nothing else has such addresses
_numbers = (
    itertools.count()
)  # the kernel takes its time to remove a namespace, so no name comes twice


class Network:
    """Two links between this machine and a namespace; `Network.is_possible` says whether it may have one.

    Attributes
    ----------
    command : list of str
        What runs a program inside.
    host : str
        The address inside at which clients reach it.
    database_host : str
        The address of this machine at which it reaches the database.
    """

    def __init__(self) -> None:
        number = next(_numbers)
        self._name = f"driftwise-{os.getpid()}-{number}"
        self.command = ["ip", "netns", "exec", self._name]
        network, first = f"{_RANGE}.{os.getpid() % 250}", 8 * (number % 32)
        _ip(f"netns add {self._name}")
        try:
            _ip(f"-n {self._name} link set lo up")
            self.host = self._link(f"c{number}", network, first)[1]
            self.database_host, self._inside = self._link(f"d{number}", network, first + 4)
        except BaseException:
            self.close()
            raise

    @staticmethod
    @cache
    def is_possible() -> bool:
        """Return whether this process may make namespaces."""
        if os.name != "posix" or os.geteuid() != 0 or shutil.which("ip") is None:
            return False
        try:
            Network().close()
        except subprocess.CalledProcessError:
            return False
        return True

    def _link(self, name: str, network: str, first: int) -> tuple[str, str]:
        """Make a link; return its address on this machine, and inside."""
        outside, inside = (f"{os.getpid():x}{name}{end}" for end in "oi")
        here, there = f"{network}.{first + 1}", f"{network}.{first + 2}"
        _ip(f"link add {outside} type veth peer name {inside} netns {self._name}")
        _ip(f"addr add {here}/30 dev {outside}")
        _ip(f"link set {outside} up")
        _ip(f"-n {self._name} addr add {there}/30 dev {inside}")
        _ip(f"-n {self._name} link set {inside} up")
        return here, there

    def cut(self) -> None:
        """Let nothing come back from the database: what is sent to it may still be carried out."""
        _ip(f"route add blackhole {self._inside}/32")

    def heal(self) -> None:
        """Let everything come back again."""
        _ip(f"route del blackhole {self._inside}/32")

    def close(self) -> None:
        """Remove everything."""
        with suppress(subprocess.CalledProcessError, AttributeError):
            self.heal()
        _ip(f"netns del {self._name}")


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True, timeout=10)
