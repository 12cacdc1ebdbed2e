"""From problem files to a process that serves them: what `driftwise serve` does."""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..core.compiler.machine_code import folder
from .http.app import application
from .http.lane import App
from .http.site import Site
from .keys import Keys
from .problem.reading import read_problem
from .problem.settings import Problem
from .service import Service
from .stores.sqlite import SQLiteStore

__all__ = ["build", "log_of", "require_private_cache", "require_safe", "serve"]


def log_of(file: Path, log: Path | None = None) -> Path:
    """Return where the log of a problem file lies: beside it, unless somebody says otherwise."""
    return file.with_suffix(".db") if log is None else log


def build(problem: Problem, log: Path) -> App:
    """Return the application that serves a problem from its log."""
    service = Service(problem, partial(SQLiteStore, log))
    return application(Site([service], {problem.name: Keys(log)}))


def serve(
    file: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    log: Path | None = None,
    is_open: bool = False,
    tls: Sequence[Path] = (),
) -> None:
    """Serve a problem file until the process is told to end.

    Parameters
    ----------
    file
        The problem.
    host, port
        Where to listen.
    log
        The database; beside the file by default.
    is_open
        Whether to listen beyond this machine without keys.
    tls
        A certificate and its key, for HTTPS without a proxy.
    """
    import uvicorn

    problem = read_problem(file)
    path = log_of(file, log)
    require_safe(host, Keys(path), is_open)
    require_private_cache(folder())
    certificate: dict[str, Any] = {}
    if tls:
        certificate = {"ssl_certfile": str(tls[0]), "ssl_keyfile": str(tls[1])}
    uvicorn.run(
        build(problem, path),
        host=host,
        port=port,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10,
        timeout_keep_alive=30,
        **certificate,
    )


def require_safe(host: str, keys: Keys, is_open: bool) -> None:
    """Refuse to listen beyond this machine without keys."""
    if len(keys) or is_open or host == "localhost":
        return
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
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
