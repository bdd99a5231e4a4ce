"""This example's log: plain lines on stderr, its own alone (JAX tells at INFO which backends it did not find)."""

from __future__ import annotations

import logging

log = logging.getLogger("digits")


def to_stderr() -> None:
    """Send this example's lines to stderr; calling it again changes nothing."""
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
