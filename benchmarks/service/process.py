"""A service in a process of its own, on a free port of this machine; it never outlives its owner."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["Process", "free_port"]

_LONGEST_START = 60.0  # seconds


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


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
    """

    def __init__(
        self, command: list[str], port: int, environment: dict[str, str] | None = None
    ) -> None:
        self._command = [each.replace("{port}", str(port)) for each in command]
        self.port, self._environment = port, environment or {}
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def serving(cls, file: Path, log: Path, environment: dict[str, str] | None = None) -> Process:
        """Return a service of a problem file that is not started yet."""
        command = ["-m", "driftwise", "serve", str(file), "--port", "{port}", "--log", str(log)]
        return cls(command, free_port(), environment)

    def start(self) -> float:
        """Start it and wait until it is ready; return after how many seconds it was."""
        begin = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, *self._command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | self._environment,
        )
        while not self.is_ready():
            if self._process.poll() is not None or time.perf_counter() - begin > _LONGEST_START:
                said = self.stop()
                raise RuntimeError(f"the service did not start: {said}")
            time.sleep(0.01)
        return time.perf_counter() - begin

    def is_ready(self) -> bool:
        """Return whether it says that it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/readyz")
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
        self._process.communicate()

    def stop(self) -> str:
        """Ask it to end, and wait; return what it said."""
        if self._process is None:
            return ""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            _, said = self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, said = self._process.communicate()
        return said.decode(errors="replace")
