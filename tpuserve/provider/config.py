"""The provider's configuration: where resources live, whose they are, and how they are looked at."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.catalog.identifiers import check_resource_id

KEYS = ("project", "location", "zone", "ownerId", "endpoints", "refreshBeforeUpdate")
TRUTH = {"true": True, "false": False}
PLACES = {"location": "region", "zone": "zone"}
SERVICES = ("tpu", "aiplatform")
OWNER_ID = re.compile(r"[a-z0-9]{20}")
# The environment that pulumi-gcp reads too, in its order.
ENVIRONMENT = {
    "project": ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"),
    "location": ("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
    "zone": ("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
}
# The SDKs add these to every provider's inputs.
IGNORED = ("version", "pluginDownloadURL", "__internal")


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """Where resources live where they do not say so, and who owns them."""

    project: str | None = None
    location: str | None = None
    zone: str | None = None
    owner_id: str = ""
    endpoints: Mapping[str, str] = field(default_factory=dict)
    refresh_before_update: bool = True
    """Whether what can drift is read before each preview and update, which needs permission to read."""

    def default(self, name: str) -> str | None:
        return {"project": self.project, "location": self.location, "zone": self.zone}[name]


def parse(given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> ProviderConfig:
    """The configuration from checked inputs; what is left out comes from the environment."""

    def default(key: str) -> str | None:
        if isinstance(given.get(key), str):
            return given[key]
        return next((environment[name] for name in ENVIRONMENT[key] if environment.get(name)), None)

    owner = given.get("ownerId")
    endpoints = _endpoints(given.get("endpoints"))
    return ProviderConfig(
        default("project"),
        default("location"),
        default("zone"),
        owner if isinstance(owner, str) else "",
        endpoints if isinstance(endpoints, Mapping) else {},
        _truth(given.get("refreshBeforeUpdate")) is not False,
    )


def _truth(given: Any) -> bool | None:
    """True or false, which arrives as text from a stack file; None for what is neither."""
    return given if isinstance(given, bool) else TRUTH.get(str(given).lower())


def _endpoints(given: Any) -> Any:
    """Nested values of a provider's configuration arrive as JSON text."""
    if isinstance(given, str):
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given


def faults(given: Mapping[str, Any]) -> Iterator[Fault]:
    """Everything that is wrong with the configuration."""
    for key, value in given.items():
        if key in IGNORED or value is UNKNOWN or value is None:
            continue
        if key not in KEYS:
            yield Fault(key, f"is not a setting of tpuserve; known: {', '.join(KEYS)}")
        elif key == "refreshBeforeUpdate":
            yield from () if _truth(value) is not None else [Fault(key, f"{value!r} is neither true nor false")]
        elif key != "endpoints" and not isinstance(value, str):
            yield Fault(key, f"expected a string, got {value!r}")
        elif key == "ownerId" and not OWNER_ID.fullmatch(value):
            yield Fault(key, f"{value!r} is not an owner id: 20 characters of a-z and 0-9, random, one for each stack")
        elif key in PLACES and (message := check_resource_id(PLACES[key], value)):
            yield Fault(key, message)
    yield from _endpoint_faults(_endpoints(given.get("endpoints")))


def _endpoint_faults(endpoints: Any) -> Iterator[Fault]:
    if endpoints is None or endpoints is UNKNOWN:
        return
    if not isinstance(endpoints, Mapping):
        yield Fault("endpoints", f"expected an object such as {{tpu: https://...}}, got {endpoints!r}")
        return
    for service, url in endpoints.items():
        path = f"endpoints.{service}"
        if service not in SERVICES:
            yield Fault(path, f"is not a service of tpuserve; known: {', '.join(SERVICES)}")
        elif url is not UNKNOWN and not _is_allowed(url):
            yield Fault(path, f"{url!r} is not allowed: https://HOST[:PORT], or http:// to a loopback address only")


def _is_allowed(url: Any) -> bool:
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for one that is no number or out of range
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    return parts.scheme == "http" and is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine: plain http leaves it for nowhere else."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
