"""A service in a process of its own, on a free port of this machine; it never outlives its owner."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .network import Network

__all__ = ["Process", "free_port"]

_LONGEST_START = 180.0  # seconds


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _bound() -> list[str]:
    """Return what makes the kernel end a process when the thread that started it is gone, even by SIGKILL."""
    return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []


class Process:
    """`driftwise serve`, or a program that answers /readyz likewise.

    Parameters
    ----------
    command
        What to run after ``python``; ``{port}`` is replaced.
    port
        Where it listens.
    environment
        What it finds in its environment besides ours.
    network
        Where it runs; where we do by default.
    """

    def __init__(
        self,
        command: list[str],
        port: int,
        environment: dict[str, str] | None = None,
        network: Network | None = None,
    ) -> None:
        self._command = [each.replace("{port}", str(port)) for each in command]
        self.port, self._environment = port, environment or {}
        self.host = "127.0.0.1" if network is None else network.host
        self._prefix = [*_bound(), *([] if network is None else network.command)]
        self._process: subprocess.Popen[bytes] | None = None
        self._said = Path(tempfile.gettempdir()) / f"driftwise-{os.getpid()}-{port}.said"

    @classmethod
    def serving(
        cls,
        file: Path,
        store: Path | str,
        environment: dict[str, str] | None = None,
        options: Sequence[str] = (),
        network: Network | None = None,
        program: str = "driftwise",
    ) -> Process:
        """Return a service of a problem file that is not started yet."""
        command = ["-m", program, "serve", str(file), "--port", "{port}", "--store", str(store)]
        if network is not None:
            command += ["--host", network.host, "--open"]
        return cls([*command, *options], free_port(), environment, network)

    @property
    def url(self) -> str:
        """Where clients reach it."""
        return f"http://{self.host}:{self.port}"

    def start(self) -> float:
        """Start it and wait until it is ready; return after how many seconds it was."""
        begin = time.perf_counter()
        with self._said.open("wb") as file:  # not a pipe, which could fill up
            self._process = subprocess.Popen(
                [*self._prefix, sys.executable, *self._command],
                stdout=subprocess.DEVNULL,
                stderr=file,
                env=os.environ | self._environment,
            )
        while not self.is_ready():
            if self._process.poll() is not None or time.perf_counter() - begin > _LONGEST_START:
                said = self.stop()
                raise RuntimeError(f"the service did not start: {said}")
            time.sleep(0.01)
        return time.perf_counter() - begin

    def signal(self, number: int) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def is_ready(self, path: str = "/readyz") -> bool:
        """Return whether it says that it is."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut would end a process."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> str:
        """Ask it to end, and wait; return what it said."""
        if self._process is None:
            return ""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        said = self._said.read_text(errors="replace") if self._said.exists() else ""
        self._said.unlink(missing_ok=True)
        return said
