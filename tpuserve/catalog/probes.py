"""Probes of a container: which action, and how often. Source: google.cloud.aiplatform_v1.types.Probe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.numbers import INT32
from tpuserve.catalog.words import listed

HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")


def check_at_least(least: int, value: int | Unknown) -> str | None:
    """Why a number is out of range: below `least`, or more than a field of 32 bits holds."""
    if isinstance(value, Unknown) or least <= value <= INT32:
        return None
    if value < least:
        return f"{value} is too small; allowed: {least} or more"
    return f"{value} is too large; allowed: at most {INT32}"


def check_probe(probe: Mapping[str, Any] | Unknown) -> list[tuple[str, str]]:
    """What is wrong with a probe as a whole; each fault with the argument it is about, empty for the probe itself.

    Google's two sentences on the times (`period_seconds` "must be less than timeout_seconds", `timeout_seconds` "must
    be greater or equal to period_seconds") differ where they are equal, which is allowed here, and do not fit the
    defaults (10 s and 1 s), so nothing is said where only one of the two is given.
    """
    return [] if isinstance(probe, Unknown) else [*_handler_faults(probe), *_time_faults(probe)]


def _handler_faults(probe: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    given = [name for name in HANDLERS if probe.get(name) is not None]
    if len(given) != 1:
        found = f"{listed(given, 'and')} are given" if given else "none is given"
        yield "", f"{found}; a probe has exactly one of {listed(HANDLERS, 'or')}"


def _time_faults(probe: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    period, timeout = probe.get("periodSeconds"), probe.get("timeoutSeconds")
    if isinstance(period, int) and isinstance(timeout, int) and timeout < period:
        yield "timeoutSeconds", f"{timeout} is less than periodSeconds ({period}); give {period} or more"
