"""A watch over connections: this process by its audit events, other processes by a proxy that connects to nothing."""

import ipaddress
import socket
import sys
import threading
from typing import Any

import pytest

PROXIED: tuple[str, ...] = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY")
DIRECT: tuple[str, ...] = ("NO_PROXY", "no_proxy")
LOOPBACK = "127.0.0.1,localhost,::1"


GUARD = pytest.StashKey["Guard"]()
"""Where the run's configuration keeps its guard."""


class LeftThisMachineError(ConnectionRefusedError):
    """A connection to another machine was refused by the tests."""


class Guard:
    """`seen` holds every address that was tried and refused."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._proxy = socket.create_server(("127.0.0.1", 0))

    def install(self) -> None:
        """Watch from now on; an audit hook can never be taken off again."""
        sys.addaudithook(self._audit)
        threading.Thread(target=self._refuse, daemon=True).start()

    def environment(self) -> dict[str, str]:
        """Variables that send the outgoing connections of child processes to the refusing proxy."""
        url = f"http://127.0.0.1:{self._proxy.getsockname()[1]}"
        return dict.fromkeys(PROXIED, url) | dict.fromkeys(DIRECT, LOOPBACK)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("socket.connect", "socket.sendto"):
            return
        address = arguments[1]
        if isinstance(address, tuple) and not is_loopback(str(address[0])):
            self.seen.append(f"{address[0]}:{address[1]}")
            raise LeftThisMachineError(f"tests stay on the loopback range (tried {address[0]}:{address[1]})")

    def _refuse(self) -> None:
        while True:
            connection, _ = self._proxy.accept()
            with connection:
                asked = connection.recv(4096).decode(errors="replace").split()
                self.seen.append(asked[1] if len(asked) > 1 else "another machine")
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")


def is_loopback(host: str) -> bool:
    """Whether a numeric address, or the name localhost, is on the loopback range."""
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
