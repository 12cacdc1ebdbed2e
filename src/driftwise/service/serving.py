"""From problem files to a process that serves them: what `driftwise serve` does."""

from __future__ import annotations

import gc
import os
import re
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..core.compiler.machine_code import folder
from .fleet import Fleet
from .hosts import is_of_this_machine
from .http.app import application
from .http.lane import App
from .http.site import Site
from .keys import Keys
from .problem.reading import read_problem
from .problem.settings import Problem
from .running import run
from .service import Service
from .shadows.process import Shadows, Watched
from .stores.places import Place, SQLitePlace, is_shared, place_of

__all__ = ["build", "problems_in", "require_private_cache", "require_safe", "serve"]

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:\d+)?|https?://\[[0-9a-f:.]+\](:\d+)?")


def build(problem: Problem, log: Path) -> App:
    """Return the application that serves a problem from its log in SQLite."""
    return application(_site([(problem, SQLitePlace(log))]))


def serve(
    *files: Path,
    host: str = "127.0.0.1",
    port: int = 8080,
    store: str | Path | None = None,
    address: str | None = None,
    lease: float = 2.0,
    is_open: bool = False,
    tls: Sequence[Path] = (),
    archive: Path | None = None,
    origins: Sequence[str] = (),
) -> None:
    """Serve problem files until the process is told to end.

    Parameters
    ----------
    *files
        The problems.
    host, port
        Where to listen.
    store
        ``postgresql://...``, which several nodes may share, or the path of a file of SQLite; one beside
        each problem file by default.
    address
        Where other nodes send clients to reach this one; by default where it listens.
    lease
        Seconds after which another node serves what this one did, should it be gone.
    is_open
        Whether to listen beyond this machine without keys.
    tls
        A certificate and its key, for HTTPS without a proxy.
    archive
        The folder into which archives and backups are written; None: they are refused.
    origins
        Such as ``https://shop.example``: whose pages may ask for decisions and tell rewards.
    """
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"origin must be such as https://shop.example, got {origin!r}")
    problems = problems_in(files, store)
    if is_shared(store) and address is None and host in ("0.0.0.0", "::", ""):
        raise ValueError(f"address must say where clients reach this node, as host is {host}")
    require_private_cache(folder())
    # Requests that wait for their batch are more than 700 objects, after which Python would look for
    # garbage each time, and find none.
    gc.set_threshold(20_000, 20, 20)
    own = address or f"{'https' if tls else 'http'}://{host}:{port}"
    with ExitStack() as ending:
        leases = None
        if is_shared(store):
            from .stores.leases import Leases

            leases = Leases(str(store), own, lease)
            ending.callback(leases.close)
        places = [
            (problem, place_of(store, file, problem.name, leases))
            for file, problem in zip(files, problems, strict=True)
        ]
        for _, place in places:
            require_safe(host, Keys(place), is_open)
        site = _site(
            places,
            None if leases is None else leases.seconds / 4,
            archive,
            origins,
            is_local=not is_open,
            is_open=is_open,
        )
        certificate: dict[str, Any] = {}
        if tls:
            certificate = {"ssl_certfile": str(tls[0]), "ssl_keyfile": str(tls[1])}
        run(site, host=host, port=port, **certificate)


def problems_in(files: Sequence[Path], store: str | Path | None) -> list[Problem]:
    """Return the problems of some files that can be served together, or say why they cannot."""
    if not files:
        raise ValueError("FILE must be given, such as examples/prices.toml")
    problems = [read_problem(file) for file in files]
    names = [problem.name for problem in problems]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"problems must have different names, got {twice[0]!r} twice")
    if len(files) > 1 and store is not None and not is_shared(store):
        raise ValueError(f"a SQLite file holds one problem, got {len(files)} for {str(store)!r}")
    return problems


def _site(
    places: Sequence[tuple[Problem, Place]],
    pause: float | None = None,
    archive: Path | None = None,
    origins: Sequence[str] = (),
    *,
    is_local: bool = False,
    is_open: bool = False,
) -> Site:
    longest = 5.0 if pause is None else pause
    services = [
        Service(problem, place.open, longest) for problem, place in places if not problem.template
    ]
    fleets = [
        Fleet(problem, place.homes(), longest_pause=longest)
        for problem, place in places
        if problem.template
    ]
    keys = {problem.name: Keys(place, without=is_open) for problem, place in places}
    shadows = Shadows(
        [
            Watched(problem.name, problem.text, place.source)
            for problem, place in places
            if problem.shadows
        ]
    )
    return Site(services, keys, archive, shadows, fleets, origins, is_local=is_local)


def require_safe(host: str, keys: Keys, is_open: bool) -> None:
    """Refuse to listen beyond this machine without keys."""
    if not (len(keys) or is_open or is_of_this_machine(host)):
        raise ValueError(
            f"host must be of this machine, such as 127.0.0.1, as long as there are no keys, got "
            f"{host!r}; make some by `driftwise keys add`, or let everybody in by --open"
        )


def require_private_cache(path: Path | None) -> None:
    """Refuse compiled code that others could have written: whoever writes there runs code."""
    if path is None or not path.exists() or not hasattr(os, "getuid"):
        return
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0) or found.st_mode & (stat.S_IWOTH | stat.S_IWGRP):
        raise PermissionError(
            f"the cache of compiled code must be writable by its owner only: {path}"
        )
