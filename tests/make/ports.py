"""Ports that another program has."""

import socket

from tools.local import emulator


def taken(address: str) -> socket.socket:
    """Another program at this address, which an emulator had until it was killed just now."""
    host, _, port = address.rpartition(":")
    assert emulator._becomes_free(int(port))
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, int(port)))
    server.listen()
    return server
