"""Operations on a log that nobody serves at the moment: this process serves it for as long as they take."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ..service.service import Service

__all__ = ["author", "operated"]

_Found = TypeVar("_Found")
_LEASE = 10.0  # seconds; nobody waits for it, as it is handed back at the end


def author() -> str:
    """Return who types, for the log."""
    return f"{getpass.getuser()} by command line"


def operated(
    file: Path,
    store: str | None,
    member: str | None,
    work: Callable[[Service], Awaitable[_Found]],
    *,
    as_logged: bool = False,
) -> _Found:
    """Return what some work on the service of a problem file brings, or of one problem of a template.

    Where the file declares more than the log does, the service is of the problem ``as_logged``.
    """
    from ..service.files import files_in
    from ..service.problem.reading import problem_in, read_problem
    from ..service.replay import begun_in
    from ..service.service import Service
    from ..service.stores.places import is_shared, place_of
    from ..service.stores.protocol import NotOwnerError
    from .stores import require_member

    problem = read_problem(file)
    with ExitStack() as ending:
        leases = None
        if is_shared(store):
            from ..service.stores.leases import Leases

            leases = Leases(str(store), "", _LEASE)
            ending.callback(leases.close)
        place = place_of(store, file, problem.name, leases)
        require_member(problem, member)
        if member is not None:
            problem, place = replace(problem, name=member), place.member(member)
        with closing(place.log()) as log:  # a log that is not there is not made
            if as_logged and (begun := begun_in(log)) is not None:
                problem = problem_in(files_in(begun, log)[-1][1], problem.name)

        async def run() -> _Found:
            service = Service(problem, place.open, is_lasting=False)
            try:
                await service.start()
            except NotOwnerError as error:
                raise ValueError(f"{error}; `driftwise service` asks it") from None
            try:
                return await work(service)
            finally:
                await service.stop()

        return asyncio.run(run())
