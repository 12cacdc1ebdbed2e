"""A PostgreSQL server in a folder of its own, from Debian's package or from `pgserver`.

It is as durable as a real one, and never outlives its owner.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from .process import free_port

__all__ = ["Database", "missing"]

_LONGEST = "120"  # seconds to start or stop
# It waits for the end of a pipe, which comes when we let go of it, or are killed.
_WATCH = 'read -r _; "$@"; rm -rf "$0"'


def missing() -> str:
    """Return why no server can be started here; empty if one can."""
    binaries = _binaries()
    if binaries is None:
        return "neither PostgreSQL (apt install postgresql) nor pgserver is here"
    if os.geteuid() == 0 and not _has_user():
        return "PostgreSQL refuses to run as root, and there is no user postgres"
    try:
        command = [*_as_user(), str(binaries / "postgres"), "--version"]
        subprocess.run(command, check=True, capture_output=True, timeout=30, cwd="/")
    except (OSError, subprocess.SubprocessError) as error:
        return f"PostgreSQL is here, and does not run: {error}"
    return ""


class Database:
    """A server on this machine that accepts whoever reaches it.

    Parameters
    ----------
    others
        Addresses it listens at, besides 127.0.0.1.
    """

    def __init__(self, *others: str) -> None:
        binaries = _binaries()
        assert binaries is not None, missing()
        self._binaries, self.port = binaries, free_port()
        self._hosts = ",".join(["127.0.0.1", *others])
        self._folder = folder = Path(tempfile.mkdtemp(prefix="driftwise-postgresql-"))
        self._data, self._said = folder / "data", folder / "said"
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        self._watch = subprocess.Popen(
            ["sh", "-c", _WATCH, str(folder), *self._command("pg_ctl", "stop", "-m", "immediate")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # what ends us ends it not
        )
        trust = ["-A", "trust", "-U", "driftwise", "-E", "UTF8", "--locale", "C"]
        self._run("initdb", *trust)
        with (self._data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all samenet trust\n")

    @property
    def url(self) -> str:
        """How it is reached."""
        return self.url_at("127.0.0.1", self.port)

    def url_at(self, host: str, port: int) -> str:
        """Return how it is reached by another way."""
        return f"postgresql://driftwise@{host}:{port}/postgres"

    def start(self) -> None:
        """Start it and wait until it answers."""
        # A sync of every commit is left on: that is what is tested.
        settings = (
            f"-c listen_addresses={self._hosts} -c port={self.port} -c unix_socket_directories="
        )
        self._control("start", "-l", str(self._said), "-o", settings)

    def stop(self, mode: str = "fast") -> None:
        """Stop it; in mode ``immediate`` as a crash would."""
        self._control("stop", "-m", mode)

    def close(self) -> None:
        """Stop it and remove everything."""
        with self._watch:
            pass  # the pipe is closed

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-w", "-t", _LONGEST, *arguments)

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [*_as_user(), str(self._binaries / program), "-D", str(self._data), *arguments]

    def _run(self, program: str, *arguments: str) -> None:
        # Not a pipe: the server would keep it open.
        with (self._folder / "output").open("w+") as output:
            done = subprocess.run(
                self._command(program, *arguments),
                stdout=output,
                stderr=output,
                check=False,
                cwd=self._folder,
            )
            output.seek(0)
            if done.returncode:
                raise RuntimeError(f"{program} failed: {output.read()}")


def _binaries() -> Path | None:
    for version in sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True):
        return version.parent
    if (found := shutil.which("postgres")) is not None:
        return Path(found).resolve().parent
    spec = find_spec("pgserver")  # not imported: that may warn
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _as_user() -> list[str]:
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


def _has_user() -> bool:
    return any(each.pw_name == "postgres" for each in pwd.getpwall())
