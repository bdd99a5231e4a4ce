"""A model server of the least kind, started by tests in place of a container: `python model_server.py TAG`."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers each instance with the tag, and `fail`, `wrong` or `environment` with what they ask for."""

    def do_GET(self) -> None:
        self._send(200 if self.path == os.environ.get("AIP_HEALTH_ROUTE", "/health") else 404, {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        instances = body["instances"]
        if "fail" in instances:
            self._send(503, {"error": "overloaded"})
        elif "wrong" in instances:
            self._send(200, {"answers": []})
        elif "environment" in instances:
            self._send(200, {"predictions": [dict(os.environ)]})
        else:
            answered = {"tag": sys.argv[1], "parameters": body.get("parameters")}
            answers = [answered | {"instance": item} for item in instances]
            self._send(200, {"predictions": answers})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """The test reads what the server writes itself."""

    def _send(self, status: int, body: dict[str, object]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    port = int(os.environ["AIP_HTTP_PORT"])
    print("serving", sys.argv[1], "on", port, flush=True)  # noqa: T201 - a test reads it in the log
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
