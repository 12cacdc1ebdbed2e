"""Who owns which problem, as PostgreSQL says: leases with an epoch, by the database's clock.

The lease only decides who tries. What holds is the epoch, which is checked inside of every appending
statement: whoever lost a lease without noticing, because it was frozen or cut off, appends nothing.
"""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg

from .protocol import NotOwnerError, StoreError
from .sessions import Line

__all__ = ["Lease", "Leases"]

_UNTIL = "clock_timestamp() + make_interval(secs => %(seconds)s)"
_TAKE = f"""
update driftwise.problems
set epoch = epoch + 1, holder = %(node)s, address = %(address)s, until = {_UNTIL}
where name = %(name)s and (until < clock_timestamp() or holder = %(node)s)
returning problem, epoch
"""
_ADD = """
insert into driftwise.problems(name, epoch, holder, address, until)
values(%(name)s, 0, '', '', '-infinity') on conflict do nothing
"""
_OWNERS = """
select name, address from driftwise.problems where name = any(%(names)s) and until > clock_timestamp()
"""
_RENEW = f"""
update driftwise.problems set until = {_UNTIL}
where holder = %(node)s and name = any(%(names)s) and until > '-infinity' returning name, epoch
"""
_RELEASE = """
update driftwise.problems set until = '-infinity'
where name = %(name)s and holder = %(node)s and epoch = %(epoch)s
"""
_LOOK = 0.05  # seconds between two looks, at most: a planned hand-over waits for no more
# A clock that also runs while the machine sleeps, where there is one.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(eq=False)
class Lease:
    """The right to write to one log, until somebody else may take it."""

    name: str
    problem: int  # its number in the database
    epoch: int  # one more with each owner
    until: float  # by this machine's clock, from before the database was asked: never too late

    @property
    def is_held(self) -> bool:
        """Whether nobody else can have taken it yet."""
        return time.clock_gettime(_CLOCK) < self.until


class Leases:
    """The leases of one node: takes, renews and releases them. Threads may share it.

    Parameters
    ----------
    url
        The database.
    address
        Where this node is reached; others send clients there.
    seconds
        How long a lease is valid without being renewed.
    """

    def __init__(self, url: str, address: str, seconds: float = 2.0) -> None:
        if seconds < 0.5:
            raise ValueError(f"lease must be at least 0.5 seconds, got {seconds:g}")
        self.url, self.address, self.seconds = url, address, seconds
        self.node = secrets.token_hex(8)  # not the address: a node that starts again is another one
        self.period = min(seconds / 10, _LOOK)
        self._held: dict[str, Lease] = {}
        self._owners: dict[str, str] = {}  # addresses of others
        self._wanted: dict[str, float] = {}  # logs that others own, and when they were asked for
        self._line = Line(url, seconds)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="driftwise leases", daemon=True)
        self._thread.start()

    def take(self, name: str) -> Lease:
        """Take a lease that nobody holds, or that this node held before; else say who owns it."""
        self._wanted[name] = time.monotonic()
        if name in self._owners and name not in self._held:
            raise NotOwnerError(self._owners[name])
        facts = {"name": name}
        for _ in range(2):
            begin = time.clock_gettime(_CLOCK)
            if found := self._ask(_TAKE, facts):
                ((problem, epoch),) = found
                lease = Lease(name, problem, epoch, begin + self.seconds)
                self._held[name] = lease
                self._wanted.pop(name, None)
                return lease
            if owner := self._ask(
                "select address from driftwise.problems where name = %(name)s", facts
            ):
                raise NotOwnerError(owner[0][0])
            self._ask(_ADD, facts)
        raise StoreError(f"the lease of {name} could not be taken")

    def release(self, lease: Lease) -> None:
        """Let somebody else have it at once."""
        lease.until = float("-inf")
        if self._held.get(lease.name) is lease:
            del self._held[lease.name]
        with suppress(StoreError):  # it runs out by itself
            self._ask(_RELEASE, {"name": lease.name, "epoch": lease.epoch})

    def close(self) -> None:
        """Release everything, and end."""
        for lease in list(self._held.values()):
            self.release(lease)
        self._ends.set()
        self._thread.join()
        self._line.close()

    def _run(self) -> None:
        renewed = 0.0
        while not self._ends.wait(self.period):
            with suppress(StoreError):  # leases run out meanwhile, as they must
                if time.monotonic() - renewed > self.seconds / 4 and self._held:
                    renewed = time.monotonic()
                    self._renew()
                self._look()

    def _renew(self) -> None:
        begin = time.clock_gettime(_CLOCK)
        held = dict(self._held)
        found = dict(self._ask(_RENEW, {"names": list(held)}))
        for name, lease in held.items():
            is_ours = found.get(name) == lease.epoch and lease.until > float("-inf")
            lease.until = begin + self.seconds if is_ours else float("-inf")

    def _look(self) -> None:
        """Look who owns what this node was asked for lately."""
        long_ago = time.monotonic() - 5 * self.seconds
        wanted = dict(self._wanted)
        for name in [name for name, moment in wanted.items() if moment < long_ago]:
            self._wanted.pop(name, None)
        names = [name for name in wanted if name not in self._held]
        self._owners = dict(self._ask(_OWNERS, {"names": names})) if names else {}

    def _ask(self, query: str, facts: dict[str, Any]) -> list[tuple[Any, ...]]:
        every = {"node": self.node, "address": self.address, "seconds": self.seconds} | facts
        session = self._line.session
        try:
            found = session.execute(query, every)
            return [] if found.description is None else found.fetchall()
        except psycopg.Error as error:
            session.close()
            raise StoreError(f"PostgreSQL cannot be asked: {error}") from error
