"""In place of Google's serving containers: `python -m tests.engine.serving_container KIND ARGUMENTS ...`.

It takes the arguments, routes and environment that such a container takes and answers predictions with what it made of
them; where one is wrong it ends with a sentence, as the container would with its own. How far each kind knows its
arguments is Google's page "Deploy a model to Cloud TPU VMs" (Vertex AI).
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NoReturn

from tests.converter_options import aliases_of, unquoted

TENSORFLOW, PYTORCH, CUSTOM = "tensorflow", "pytorch", "custom"
TORCH_SERVE = {"AIP_HEALTH_ROUTE": "/ping", "AIP_PREDICT_ROUTE": "/predictions/model"}


def tensorflow(arguments: list[str]) -> dict[str, Any]:
    """Which of the three ways of optimization was asked for."""
    parser = argparse.ArgumentParser(prog=TENSORFLOW, allow_abbrev=False)
    for flag in ("--saved_model_tags", "--disable_optimizer", "--converter_options_string"):
        parser.add_argument(flag)
    given = parser.parse_args(arguments)
    manual = (given.saved_model_tags == "serve,tpu", given.disable_optimizer == "true")
    if any(manual) and not all(manual):
        wrong("--saved_model_tags=serve,tpu and --disable_optimizer=true belong together")
    if given.converter_options_string is None:
        return {"optimized": "manually" if all(manual) else "automatically"}
    if any(manual):
        wrong("--converter_options_string is for a model that is not optimized yet")
    return {"optimized": "by functions", "functions": aliases_of(unquoted(given.converter_options_string))}


def pytorch(arguments: list[str]) -> dict[str, Any]:
    """TorchServe: no arguments, and routes of its own."""
    if arguments:
        wrong(f"no arguments are known, {arguments} were given")
    for name, route in TORCH_SERVE.items():
        if os.environ[name] != route:
            wrong(f"{name} is {os.environ[name]}, TorchServe answers on {route}")
    return {}


def custom(arguments: list[str]) -> dict[str, Any]:
    """A server of the user's own."""
    return {"arguments": arguments, "TOKEN": os.environ.get("TOKEN")}


def wrong(message: str) -> NoReturn:
    sys.exit(f"serving container: {message}")


KINDS: dict[str, Callable[[list[str]], dict[str, Any]]] = {TENSORFLOW: tensorflow, PYTORCH: pytorch, CUSTOM: custom}


class Handler(BaseHTTPRequestHandler):
    """Answers on the routes of the environment, each instance with what the container made of its start."""

    made: dict[str, Any]

    def do_GET(self) -> None:
        self._send(200 if self.path == os.environ["AIP_HEALTH_ROUTE"] else 404, {})

    def do_POST(self) -> None:
        instances = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["instances"]
        if self.path != os.environ["AIP_PREDICT_ROUTE"]:
            self._send(404, {})
            return
        aip = {name: value for name, value in os.environ.items() if name.startswith("AIP_")}
        self._send(200, {"predictions": [{"instance": each, **self.made, "environment": aip} for each in instances]})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Only the reason of an end is written."""

    def _send(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def main(kind: str, arguments: list[str]) -> None:
    if kind != CUSTOM and not os.environ["AIP_STORAGE_URI"].startswith("gs://"):
        wrong("AIP_STORAGE_URI is no folder of Cloud Storage, there is no model to serve")
    Handler.made = {"kind": kind, **KINDS[kind](arguments)}
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["AIP_HTTP_PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
