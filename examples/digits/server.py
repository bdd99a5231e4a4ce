"""Serve the digits model: `python -m examples.digits.server`, on a laptop, in a Vertex AI container, on a TPU slice.

Exit codes: 0 after SIGTERM or SIGINT, 1 if the model cannot be loaded, 2 for wrong settings or a taken port.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue

from tpuserve.container import raise_memlock

from . import settings
from .http_server import DigitsServer, Routes
from .log import log, to_stderr
from .service import Service

GRACE_SECONDS = 10.0


def served_by(chosen: settings.Settings) -> str:
    """The version's name if one is given, else `weights-` and 12 hex digits of the weights' SHA-256."""
    return chosen.model_version or "weights-" + hashlib.sha256(chosen.weights.read_bytes()).hexdigest()[:12]


def load(service: Service, weights: Path, failures: SimpleQueue[str], begin: float) -> None:
    """Load, compile and warm the model, then make the service ready; a failure is put into `failures`."""
    locked = raise_memlock()  # before JAX looks for a TPU
    try:
        from . import model, predictor  # noqa: PLC0415 - importing JAX takes longer than all the rest: listen first

        service.ready(predictor.Predictor(model.load(weights)))
    except Exception as error:
        log.exception("the model cannot be served; %s", locked)
        failures.put(f"{type(error).__name__}: {error}")
    else:
        seconds = time.monotonic() - begin
        log.info("ready after %.2f s on %s as %s; %s", seconds, predictor.device(), service.served_by, locked)


def serve(chosen: settings.Settings, endings: SimpleQueue[str]) -> int:
    """Serve until something is put into `endings`, "" to end well, else the reason of a failure; the exit code."""
    begin = time.monotonic()
    service = Service(served_by(chosen))
    routes = Routes(chosen.health_route, chosen.predict_route)
    try:
        server = DigitsServer((chosen.host, chosen.port), service, routes)
    except OSError as error:
        log.error("cannot listen on %s:%d: %s", chosen.host, chosen.port, error.strerror or error)
        return 2
    with server:
        log.info("listening on http://%s:%d", chosen.host, server.server_address[1])
        threading.Thread(target=server.serve_forever, name="accept", daemon=True).start()
        loading = (service, chosen.weights, endings, begin)
        threading.Thread(target=load, args=loading, name="load", daemon=True).start()
        failure = endings.get()
        if not service.drain(GRACE_SECONDS):
            log.warning("requests were still running after %.0f s and are cut off", GRACE_SECONDS)
        server.shutdown()
    log.info("ended%s", f": {failure}" if failure else "")
    return 1 if failure else 0


def main(arguments: list[str] | None = None) -> int:
    """Read the settings and serve until SIGTERM or SIGINT."""
    to_stderr()
    endings: SimpleQueue[str] = SimpleQueue()  # its put may be called from a signal handler
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: endings.put(""))
    try:
        chosen = settings.read(sys.argv[1:] if arguments is None else arguments, os.environ)
    except settings.SettingsError as error:
        for fault in error.faults:
            log.error("%s", fault)
        return 2
    return serve(chosen, endings)


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # threads inside XLA cannot be joined, and must not turn a clean end into a crash
