"""The tests' own watch over connections."""

import http.client
import os
import socket
from urllib.parse import urlsplit

import pytest

from tests.network import GUARD, Guard, LeftThisMachineError, is_loopback


@pytest.fixture
def guard(request: pytest.FixtureRequest) -> Guard:
    return request.config.stash[GUARD]


def forget(guard: Guard) -> list[str]:
    """What was seen; forgotten, so that the test that provoked it does not fail."""
    seen, guard.seen = guard.seen, []
    return seen


def test_connection_to_another_machine_is_refused_and_seen(guard: Guard) -> None:
    with socket.socket() as client, pytest.raises(LeftThisMachineError):
        client.connect(("192.0.2.1", 443))

    assert forget(guard) == ["192.0.2.1:443"]


def test_connection_of_a_child_by_the_proxy_is_refused_and_seen(guard: Guard) -> None:
    proxy = urlsplit(os.environ["HTTPS_PROXY"])
    tunnel = http.client.HTTPSConnection(str(proxy.hostname), proxy.port or 0)
    tunnel.set_tunnel("api.example.com", 443)

    with pytest.raises(OSError, match="403"):
        tunnel.connect()

    assert forget(guard) == ["api.example.com:443"]


def test_connection_on_this_machine_is_let_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "8.8.8.8", "fe80::1%eth0", "example.com", "localhost.example.com"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("prefix", ["PULUMI_", "GOOGLE_", "AIP_"])
def test_environment_of_the_shell_is_cleaned(prefix: str) -> None:
    assert [name for name in os.environ if name.startswith(prefix)] == []
