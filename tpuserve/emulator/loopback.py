"""Plain HTTP to a process on 127.0.0.1, blocking, for worker threads.

One connection a request: on one that is kept, a server that writes head and body apart answers 40 ms later (Nagle's
algorithm against the delayed acknowledgement).
"""

import http.client
import socket


def get_status(port: int, route: str, timeout: float) -> int:
    """The status of a GET, or 0 where nobody answers."""
    try:
        return _exchange(port, "GET", route, None, timeout)[0]
    except (OSError, http.client.HTTPException):
        return 0


def post_json(port: int, route: str, body: bytes, timeout: float) -> tuple[int, bytes]:
    """Status and body of a POST; OSError or HTTPException where the process does not answer."""
    return _exchange(port, "POST", route, body, timeout)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _exchange(port: int, method: str, route: str, body: bytes | None, timeout: float) -> tuple[int, bytes]:
    headers = {"Connection": "close"} | ({"Content-Type": "application/json"} if body is not None else {})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, route, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
