"""A detour to a server that can be cut: connections stay open, and nothing comes through any more."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress

__all__ = ["Detour"]


class Detour:
    """Forwards to a port of this machine, until it is cut; `heal` ends what was open before.

    Parameters
    ----------
    port
        Where the server listens.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._others: dict[socket.socket, socket.socket] = {}  # the two ends of each connection
        self._is_cut = self._ends = False
        self._thread = threading.Thread(target=self._run, name="detour", daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Let nothing through."""
        self._is_cut = True

    def heal(self) -> None:
        """Let everything through again; what was open is reset, as routers do."""
        for each in list(self._others):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._is_cut = False

    def close(self) -> None:
        """End everything."""
        self._ends = True
        self._thread.join()
        for each in (self._listener, *self._others):
            each.close()
        self._selector.close()

    def _run(self) -> None:
        while not self._ends:
            ready = self._selector.select(0.02)
            if self._is_cut:
                threading.Event().wait(0.02)
                continue
            for key, _ in ready:
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    assert isinstance(key.fileobj, socket.socket)
                    self._forward(key.fileobj)

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection(("127.0.0.1", self._target), timeout=1.0)
        except OSError:
            near.close()
            return
        for one, other in ((near, far), (far, near)):
            one.settimeout(1.0)
            self._others[one] = other
            self._selector.register(one, selectors.EVENT_READ)

    def _forward(self, source: socket.socket) -> None:
        if (target := self._others.get(source)) is None:
            return
        content = b""
        with suppress(OSError):
            content = source.recv(2**18)
        try:
            if not content:
                raise ConnectionResetError
            target.sendall(content)
        except OSError:
            for each in (source, target):
                self._selector.unregister(each)
                del self._others[each]
                each.close()
