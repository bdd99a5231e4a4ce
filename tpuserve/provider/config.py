"""The provider's configuration: where resources live, whose they are, who asks, and how they are looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.access import GOOGLE_DOMAIN, Access
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.provider.values import Properties
from tpuserve.resources.check import faults as shape_faults
from tpuserve.resources.provider import ENVIRONMENT, SECRETS, SHAPE, typed

# The SDKs add these to every provider's inputs.
IGNORED = ("version", "pluginDownloadURL", "__internal")
# Of these a value in the configuration hides all of them in the environment, as in pulumi-gcp.
WHO = ("credentials", "accessToken")


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
    default_labels: Mapping[str, str] = field(default_factory=dict)
    access: Access = field(default_factory=Access)
    """Who asks."""

    def default(self, name: str) -> str | None:
        return {"project": self.project, "location": self.location, "zone": self.zone}[name]


def parse(given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> ProviderConfig:
    """The configuration from checked inputs; what is left out comes from the environment."""
    values = _from_environment(given, environment) | _known(given)

    def text(key: str) -> str:
        return values[key] if isinstance(values.get(key), str) else ""

    def mapping(key: str) -> Mapping[str, str]:
        return values[key] if isinstance(values.get(key), Mapping) else {}

    access = Access(
        credentials=text("credentials"),
        access_token=text("accessToken"),
        impersonate=text("impersonateServiceAccount"),
        delegates=tuple(values.get("impersonateServiceAccountDelegates") or ()),
        charges_project=values.get("userProjectOverride") is True,
        billing_project=text("billingProject"),
        universe_domain=text("universeDomain") or GOOGLE_DOMAIN,
        ca_bundle=text("caBundle"),
    )
    return ProviderConfig(
        text("project") or None,
        text("location") or None,
        text("zone") or None,
        text("ownerId"),
        mapping("endpoints"),
        values.get("refreshBeforeUpdate") is not False,
        mapping("defaultLabels"),
        access,
    )


def _known(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that are given and known, each in its own type."""
    known = ((key, typed(key, value)) for key, value in given.items() if value is not UNKNOWN and value is not None)
    return {key: value for key, value in known if key not in IGNORED}


def _from_environment(given: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    hidden = {*_known(given), *(WHO if any(given.get(key) is not None for key in WHO) else ())}
    for key in ENVIRONMENT.keys() - hidden:
        if variable := _variable(key, environment):
            found[key] = typed(key, environment[variable])
    return found


def _variable(key: str, environment: Mapping[str, str]) -> str | None:
    """The first of the variables that is set and not empty."""
    return next((name for name in ENVIRONMENT[key] if environment.get(name)), None)


def faults(given: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Iterator[Fault]:
    """Everything that is wrong with the configuration, the environment's part of it among it."""
    yield from shape_faults(SHAPE, {key: typed(key, value) for key, value in given.items() if key not in IGNORED})
    for key, value in sorted(_from_environment(given, environment).items()):
        for fault in shape_faults(SHAPE, {key: value}):
            yield Fault(fault.path, f"{fault.message} (from the environment: {_variable(key, environment)})")
    charges = (_from_environment(given, environment) | _known(given)).get("userProjectOverride", False)
    if given.get("billingProject") and charges is False:
        yield Fault("billingProject", "is charged only with userProjectOverride: set that to true, or leave this out")
    if given.get("impersonateServiceAccountDelegates") and not given.get("impersonateServiceAccount"):
        yield Fault("impersonateServiceAccountDelegates", "lead to impersonateServiceAccount, which is not set")


def with_secrets(given: Properties) -> Properties:
    """The settings with those marked secret that are so by nature, however the stack file has them."""
    marked = {(key,) for key in SECRETS if given.values.get(key) is not None}
    return Properties(given.values, given.secrets | marked)
