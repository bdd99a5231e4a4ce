"""Reading Cloud Quotas over HTTP: who asks, whom it trusts, and what becomes of a refusal."""

from __future__ import annotations

import contextlib
import http.server
import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.wire.authority import Authority
from tpuserve.access import QUOTA_PROJECT, Access
from tpuserve.google import CloudError, Google

INFO = {"quotaId": "Q", "dimensionsInfos": []}
DISABLED = {
    "error": {
        "code": 403,
        "message": "Cloud Quotas API has not been used in project acme before",
        "status": "PERMISSION_DENIED",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.Help", "links": []},
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED"},
        ],
    }
}


class Quotas:
    """An HTTP server with one answer."""

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.url = ""
        self.asked: list[tuple[str, dict[str, str]]] = []
        """Path and headers of each request."""
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, {key.lower(): value for key, value in self.headers.items()}))
                self.send_response(status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Nothing on the screen."""

        self._listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @contextlib.contextmanager
    def running(self, server: tuple[Path, Path] | None = None) -> Iterator[Quotas]:
        """Over TLS where a server's key and certificate are given."""
        self.url = f"{'https' if server else 'http'}://localhost:{self._listening.server_address[1]}"
        if server is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(server[1], server[0])
            self._listening.socket = context.wrap_socket(self._listening.socket, server_side=True)
        threading.Thread(target=self._listening.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield self
        finally:
            self._listening.shutdown()
            self._listening.server_close()


async def ask(url: str, **access: Any) -> dict[str, Any]:
    google = Google({"cloudquotas": url}, Access(**access), retry_wait=(0.001, 0.002))
    return await google.quota_info("acme-prod", "tpu.googleapis.com", "Q")


async def test_it_asks_for_one_quota_of_the_project() -> None:
    with Quotas(200, json.dumps(INFO).encode()).running() as served:
        assert await ask(served.url) == INFO

    assert [path for path, _ in served.asked] == [
        "/v1/projects/acme-prod/locations/global/services/tpu.googleapis.com/quotaInfos/Q"
    ]


async def test_over_tls_the_provider_s_own_token_and_quota_project_are_sent(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with Quotas(200, json.dumps(INFO).encode()).running(authority.server()) as served:
        await ask(served.url, access_token="t0ken", ca_bundle=authority.bundle, charges_project=True)

    ((_, headers),) = served.asked
    assert (headers["authorization"], headers[QUOTA_PROJECT]) == ("Bearer t0ken", "acme-prod")


async def test_over_plain_http_no_token_is_sent() -> None:
    with Quotas(200, json.dumps(INFO).encode()).running() as served:
        await ask(served.url, access_token="t0ken")

    assert "authorization" not in served.asked[0][1]


async def test_a_server_of_another_authority_is_not_trusted(tmp_path: Path) -> None:
    with Quotas(200, b"{}").running(Authority(tmp_path).server()) as served, pytest.raises(CloudError) as error:
        await ask(served.url, access_token="t0ken")

    assert (error.value.code, served.asked) == ("UNAVAILABLE", [])


async def test_a_refusal_keeps_google_s_code_words_and_reason() -> None:
    with Quotas(403, json.dumps(DISABLED).encode()).running() as served, pytest.raises(CloudError) as error:
        await ask(served.url)

    told = error.value
    assert (told.code, told.reason, told.message) == (
        "PERMISSION_DENIED",
        "SERVICE_DISABLED",
        DISABLED["error"]["message"],
    )
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    ("status", "code", "asked"), [(503, "UNAVAILABLE", 6), (404, "NOT_FOUND", 1), (200, "UNKNOWN", 1)]
)
async def test_an_answer_that_is_no_json_is_told_by_its_status(status: int, code: str, asked: int) -> None:
    with Quotas(status, b"<html>").running() as served, pytest.raises(CloudError) as error:
        await ask(served.url)

    assert (error.value.code, error.value.message) == (code, f"HTTP {status}, without a reason")
    assert len(served.asked) == asked
