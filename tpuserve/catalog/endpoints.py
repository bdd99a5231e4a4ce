"""Kinds of endpoint of Vertex AI, and what each can do."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tpuserve.catalog.faults import Fault, Unknown, all_known
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.numbers import seconds
from tpuserve.catalog.reading import at
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import listed

TIMEOUT = "clientConnectionConfig.inferenceTimeout"
LOGGING = "predictRequestResponseLoggingConfig"


@dataclass(frozen=True, slots=True)
class EndpointKind:
    """One kind: how clients reach the endpoint."""

    name: str
    noun: str
    argument: str
    """The argument (camelCase) that makes an endpoint of this kind; empty for the kind without one."""
    longest_inference_timeout: float
    """Seconds; 0 where it cannot be set."""
    request_response_logging: bool
    traffic_split: bool
    source: str
    date: str


@cache
def endpoint_kinds() -> dict[str, EndpointKind]:
    """Every kind, by name."""
    return {name: EndpointKind(name=name, **row) for name, row in table("endpoint_kinds").items()}


def endpoint_kind(given: Mapping[str, Any]) -> EndpointKind | None:
    """The kind of an endpoint with these arguments; none where they are of several kinds, or not known yet."""
    chosen = [kind for kind in endpoint_kinds().values() if kind.argument and given.get(kind.argument)]
    if not all_known(*(given.get(kind.argument) for kind in endpoint_kinds().values())) or len(chosen) > 1:
        return None
    return chosen[0] if chosen else endpoint_kinds()["shared"]


def check_endpoint(given: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with the arguments of an endpoint taken together (camelCase, as on the wire)."""
    kind = endpoint_kind(given)
    return [*_check_kinds(given), *_check_logging_rate(given), *(_check_abilities(given, kind) if kind else ())]


def _check_kinds(given: Mapping[str, Any]) -> list[Fault]:
    chosen = [kind for kind in endpoint_kinds().values() if kind.argument and given.get(kind.argument)]
    if len(chosen) < 2:
        return []
    nouns = listed(f"{kind.argument} (a {kind.noun})" for kind in chosen)
    return [
        Fault(kind.argument, f"an endpoint is of one kind, and {nouns} are given; leave all but one out")
        for kind in chosen
    ]


def _check_abilities(given: Mapping[str, Any], kind: EndpointKind) -> list[Fault]:
    return [*_check_timeout(given, kind), *_check_logging(given, kind)]


def _check_timeout(given: Mapping[str, Any], kind: EndpointKind) -> list[Fault]:
    value = at(given, TIMEOUT)
    length, longest = seconds(value), kind.longest_inference_timeout
    if length is None:
        return []
    if not longest:
        able = listed((each.argument for each in endpoint_kinds().values() if each.longest_inference_timeout), "or")
        return [
            Fault(TIMEOUT, f"{value!r} cannot be set: a {kind.noun} always has 60s; leave it out, or give {able} too")
        ]
    if 0 < length <= longest:
        return []
    return [Fault(TIMEOUT, f"{value!r} is not allowed; give more than 0s and at most {longest:.0f}s")]


def _check_logging(given: Mapping[str, Any], kind: EndpointKind) -> list[Fault]:
    if kind.request_response_logging or not at(given, f"{LOGGING}.enabled"):
        return []
    return [Fault(f"{LOGGING}.enabled", f"true is not allowed: a {kind.noun} cannot log its requests; leave it out")]


def _check_logging_rate(given: Mapping[str, Any]) -> list[Fault]:
    """Source: PredictRequestResponseLoggingConfig.sampling_rate, "range(0,1]"."""
    rate = at(given, f"{LOGGING}.samplingRate")
    if rate != 0 or isinstance(rate, bool) or at(given, f"{LOGGING}.enabled") is not True:
        return []
    message = f"{rate!r} logs no request although enabled is true; give more than 0 and at most 1"
    return [Fault(f"{LOGGING}.samplingRate", message)]


def check_enabled(value: bool | Unknown) -> str | None:
    """Why Private Service Connect cannot be given and turned off."""
    if isinstance(value, Unknown) or value:
        return None
    return "false is not allowed; leave privateServiceConnectConfig out"


def check_sampling_rate(value: float | Unknown) -> str | None:
    """Why `value` is no share of the requests."""
    if isinstance(value, Unknown) or 0 <= value <= 1:
        return None
    return f"{value!r} is not a share of the requests; give a fraction from 0 to 1, such as 0.1 for every tenth"


def check_allowlist(projects: list[str | Unknown]) -> str | None:
    """Why a list of projects, ids or numbers, cannot be let in."""
    found = (check_resource_id("project", project) for project in projects)
    return "; ".join(message for message in found if message) or None
