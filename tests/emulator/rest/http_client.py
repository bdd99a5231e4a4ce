"""REST asked for as anybody would, with the standard library."""

import http.client
import json
from typing import Any, NamedTuple

from tests.emulator.google import LOCATION, ZONE

MODELS, ENDPOINTS = f"/v1/{LOCATION}/models", f"/v1/{LOCATION}/endpoints"
QUEUED = f"/v2alpha1/{ZONE}/queuedResources"
UPLOAD = {"modelId": "digits", "model": {"displayName": "digits", "containerSpec": {"imageUri": "image"}}}
NODE = {"runtimeVersion": "v2-alpha-tpuv6e", "acceleratorType": "v6e-8"}
PARAMS = {"nodeCount": 2, "workloadType": "AVAILABILITY_OPTIMIZED"}


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def value(self) -> Any:
        return json.loads(self.body)

    def error(self) -> str:
        return self.value()["error"]["message"]


class Rest:
    """One connection that is kept."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=10)

    def ask(self, method: str, path: str, value: Any = None, **headers: str) -> Response:
        body = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
        self._connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        answer = self._connection.getresponse()
        return Response(answer.status, dict(answer.headers), answer.read())

    def get(self, path: str) -> Response:
        return self.ask("GET", path)

    def post(self, path: str, value: Any) -> Response:
        return self.ask("POST", path, value)

    def close(self) -> None:
        self._connection.close()


def collection(**more: Any) -> dict[str, Any]:
    """The body of a request for a collection of two slices."""
    return {"tpu": {"nodeSpec": [{"parent": ZONE, "multiNodeParams": PARAMS, "node": NODE}]}, **more}
