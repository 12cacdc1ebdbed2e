"""Chromium without a window, driven by its own protocol over a pipe: nothing to install beside it."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Browser", "program"]


def program() -> str | None:
    """Return the browser of this machine, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser that ends with the test.

    Parameters
    ----------
    folder
        Where it keeps what it keeps.
    """

    def __init__(self, folder: Path) -> None:
        self.exceptions: list[str] = []  # of scripts
        self.errors: list[
            str
        ] = []  # in the console: refused by the policy of the page, not found, ...
        self.addresses: set[str] = set()  # that were asked for
        theirs, self._to = os.pipe()
        self._from, answers = os.pipe()
        theirs, answers = (_moved(each) for each in (theirs, answers))

        def connect() -> None:
            os.dup2(theirs, 3)
            os.dup2(answers, 4)

        command = [
            str(program()), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            f"--user-data-dir={folder}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, preexec_fn=connect, pass_fds=(3, 4), stderr=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(answers)
        self._number, self._content, self._session = 0, b"", ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return what a command of the protocol answers."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]  # type: ignore[no-any-return]  # an object
            self._note(told)

    def open(self, address: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """Return the value of JavaScript in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    def until(self, expression: str, holds: Callable[[Any], bool] = bool) -> Any:
        """Return the value of JavaScript once it is as it should be."""
        latest = time.monotonic() + 30.0
        while not holds(found := self.value(expression)):
            if time.monotonic() > latest:
                raise TimeoutError(f"{expression} stayed {found!r}")
            time.sleep(0.1)
        return found

    def _note(self, told: dict[str, Any]) -> None:
        method, facts = told.get("method"), told.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.exceptions.append(json.dumps(facts))
        elif method == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.errors.append(f"{facts['entry']['text']} {facts['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.addresses.add(facts["request"]["url"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._content:
            if not select.select([self._from], [], [], 30.0)[0]:
                raise TimeoutError("the browser says nothing")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._content += part
        first, _, self._content = self._content.partition(b"\0")
        return json.loads(first)  # type: ignore[no-any-return]  # an object


def _moved(file: int) -> int:
    """Return the same file under a number that is not one of those that the browser expects."""
    moved = fcntl.fcntl(file, fcntl.F_DUPFD, 10)
    os.close(file)
    return moved
