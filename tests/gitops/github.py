"""A stand-in for GitHub's API on the loopback: pull requests, comments and issues of one repository."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BOT = "github-actions[bot]"
TOKEN = "t0ken"
HEAD = "a" * 40
REPOSITORY = "acme/tpu"


@dataclass
class Repository:
    """What there is, and what was written."""

    address: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    issues: list[dict[str, Any]] = field(default_factory=list)
    written: list[tuple[str, str]] = field(default_factory=list)
    refuses: int = 0
    """The status of every answer from now on, if not 0."""
    sends_to: str = ""
    """Where every request is redirected to."""

    def environ(self, **more: str) -> dict[str, str]:
        """Of a job on this repository."""
        own = {"GITHUB_API_URL": self.address, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": TOKEN}
        return own | {"PULL_REQUEST": "7", "HEAD_SHA": HEAD} | more

    def add(self, kind: str, body: str, author: str = BOT, **more: Any) -> dict[str, Any]:
        """Something that is there already."""
        items = getattr(self, kind)
        number = len(items) + 1
        items.append({"id": number, "number": number, "body": body, "user": {"login": author}, "state": "open", **more})
        return items[-1]

    def answer(self, method: str, path: str, query: dict[str, list[str]], content: Any) -> tuple[int, Any]:
        if method != "GET":
            self.written.append((method, path))
        if self.refuses:
            return self.refuses, {"message": "Resource not accessible by integration"}
        if path == "pulls/7":
            return 200, {"head": {"sha": HEAD}}
        found = re.fullmatch(r"(issues/7/comments|issues)|(issues/comments|issues)/(\d+)", path)
        if not found:
            return 404, {"message": "Not Found"}
        items = self.comments if "comments" in path else self.issues
        if method == "GET":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            there = [each for each in items if each["state"] in query.get("state", ["open"])]
            return 200, there[size * (page - 1) : size * page]
        if method == "POST":
            return 201, self.add("comments" if "comments" in path else "issues", **content)
        items[int(found[3]) - 1].update(content)
        return 200, items[int(found[3]) - 1]


@contextlib.contextmanager
def running() -> Iterator[Repository]:
    """The stand-in, listening."""
    repository = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            size = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(size)) if size else None
            if repository.sends_to:
                self.send_response(302)
                self.send_header("Location", repository.sends_to)
                self.end_headers()
                return
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                code, told = 401, {"message": "Bad credentials"}
            else:
                path = url.path.removeprefix(f"/repos/{REPOSITORY}/")
                code, told = repository.answer(self.command, path, parse_qs(url.query), content)
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        do_POST = do_PATCH = do_GET  # noqa: N815 - http.server's own names

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        repository.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield repository
        server.shutdown()
        thread.join()
