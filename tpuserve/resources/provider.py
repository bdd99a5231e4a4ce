"""`pulumi:providers:tpuserve`: the provider's settings, said once for stack files and for explicit providers."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict
from urllib.parse import urlsplit

import pulumi

from tpuserve import catalog
from tpuserve.resources.base import inputs_to_wire
from tpuserve.resources.fields import Field, Input, shape_of
from tpuserve.resources.names import check_account, check_each, check_own_labels

# What stands in for a setting that is left out. Source: provider_reference of terraform-provider-google, which
# pulumi-gcp bridges, and pulumi_gcp/provider.py 10.2.0; the last two are gcloud's and gRPC's, google-api-core's own.
ENVIRONMENT = {
    "project": ("GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"),
    "location": ("GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"),
    "zone": ("GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"),
    "credentials": ("GOOGLE_CREDENTIALS", "GOOGLE_CLOUD_KEYFILE_JSON", "GCLOUD_KEYFILE_JSON"),
    "accessToken": ("GOOGLE_OAUTH_ACCESS_TOKEN",),
    "impersonateServiceAccount": ("GOOGLE_IMPERSONATE_SERVICE_ACCOUNT",),
    "userProjectOverride": ("USER_PROJECT_OVERRIDE",),
    "billingProject": ("GOOGLE_BILLING_PROJECT",),
    "universeDomain": ("GOOGLE_CLOUD_UNIVERSE_DOMAIN",),
    "caBundle": ("CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"),
}
OWNER_ID = re.compile(r"[a-z0-9]{20}")
DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")
# Source: google.auth._default, the values of `type`.
CREDENTIAL_TYPES = (
    "service_account",
    "authorized_user",
    "external_account",
    "external_account_authorized_user",
    "impersonated_service_account",
)


def check_url(url: Any) -> str | None:
    """Plain http leaves this machine for nowhere else."""
    return None if _is_allowed(url) else f"{url!r} is not allowed: https://HOST[:PORT], or http:// to loopback only"


def _is_allowed(url: Any) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for one that is no number or out of range
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    return parts.scheme == "http" and is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_owner_id(value: str) -> str | None:
    if OWNER_ID.fullmatch(value):
        return None
    return f"{value!r} is not an owner id: 20 characters of a-z and 0-9, random, one for each stack"


def check_domain(value: str) -> str | None:
    return None if DOMAIN.fullmatch(value) else f"{value!r} is not a domain, such as googleapis.com"


def check_token(value: str) -> str | None:
    """The value is not told: it is a secret."""
    return None if re.fullmatch(r"[!-~]+", value) else "is no access token: one word of ASCII, without spaces"


def check_credentials(value: str) -> str | None:
    """The value is not told: it is a secret, or the path of one."""
    try:
        found = json.loads(credentials_text(value))
    except OSError:
        return "is neither JSON nor the path of a file that can be read"
    except ValueError:
        return "is not JSON (or names a file that is not)"
    kind = found.get("type") if isinstance(found, dict) else None
    if kind in CREDENTIAL_TYPES:
        return None
    return f"have a `type` that Google's libraries do not know; known: {', '.join(CREDENTIAL_TYPES)}"


def credentials_text(value: str) -> str:
    """The JSON itself, which may be in a file. Raises OSError or ValueError."""
    if value.lstrip().startswith("{"):
        return value
    return Path(value).expanduser().read_text(encoding="utf-8")


def check_ca_bundle(value: str) -> str | None:
    try:
        text = Path(value).expanduser().read_text(encoding="ascii", errors="replace")
    except (OSError, ValueError):
        return f"{value!r} is not a file that can be read"
    return None if "-----BEGIN CERTIFICATE-----" in text else f"{value!r} holds no certificate in PEM form"


class ApiUrlsArgs(TypedDict, total=False):
    """Addresses in place of Google's own."""

    tpu: Annotated[Input[str], Field(check=check_url)]
    """Cloud TPU API; gRPC and REST alike with https, as Google's own host, gRPC alone with plain http."""
    tpu_rest: Annotated[Input[str], Field(check=check_url)]
    """Cloud TPU API over REST where it has an address of its own, as the emulator's: flex-start is asked for there, and
    seen in what is imported or taken over."""
    aiplatform: Annotated[Input[str], Field(check=check_url)]
    """Vertex AI API, for every region."""
    iamcredentials: Annotated[Input[str], Field(check=check_url)]
    """Service Account Credentials API, which impersonation asks for tokens."""
    cloudquotas: Annotated[Input[str], Field(check=check_url)]
    """Cloud Quotas API, over REST, which `tpuserve quotas fetch` alone asks."""


class ProviderArgs(TypedDict, total=False):
    """Settings of the provider."""

    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project for resources that do not name one."""
    location: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "region"))]
    """Region for Vertex AI resources that do not name one, such as `us-east5`."""
    zone: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "zone"))]
    """Zone for queued resources that do not name one, such as `us-east5-b`."""
    owner_id: Annotated[Input[str], Field(check=check_owner_id)]
    """Who owns what this stack creates: 20 characters of a-z and 0-9, random, one for each stack. Without it nothing
    that exists is adopted, so a run that was killed can leave objects that no state knows. An explicit provider of a
    Python program takes the stack's where it has none of its own."""
    default_labels: Annotated[Input[Mapping[str, Input[str]]], Field(check=check_own_labels)]
    """Labels of every model, endpoint and TPU node; a resource's own label of the same key wins. A change of them
    changes models and endpoints in place; nodes get them when they are asked for and keep them, for Google cannot
    change them, and no slice is given up for a label."""
    credentials: Annotated[Input[str], Field(check=check_credentials, secret=True)]
    """Credentials in Google's JSON form, or the path of a file with them; Application Default Credentials where neither
    these nor `access_token` are given."""
    access_token: Annotated[Input[str], Field(check=check_token, secret=True)]
    """OAuth access token, used before `credentials`; it cannot be renewed, and is good for an hour at most."""
    impersonate_service_account: Annotated[Input[str], Field(check=check_account)]
    """Service account in whose name everything is asked; needs `roles/iam.serviceAccountTokenCreator` on it."""
    impersonate_service_account_delegates: Annotated[
        Input[Sequence[Input[str]]], Field(check=partial(check_each, check_account))
    ]
    """Service accounts between the credentials and the one impersonated, in order."""
    user_project_override: Input[bool]
    """Whether the quota of `billing_project`, or else of the resource's own project, is charged, and not that of the
    credentials' project; needs `serviceusage.services.use` there."""
    billing_project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project whose quota is charged; only with `user_project_override`."""
    universe_domain: Annotated[Input[str], Field(check=check_domain)]
    """Domain of Google's services in place of `googleapis.com`; the credentials must be of the same."""
    ca_bundle: Annotated[Input[str], Field(check=check_ca_bundle)]
    """PEM file with the certificate authorities that are trusted, in place of the public ones, for the APIs and for
    tokens: behind a proxy that opens TLS, or with private endpoints."""
    refresh_before_update: Input[bool]
    """Whether queued resources, endpoints and deployments are read before each preview and update, so that what changed
    by hand or was half made is seen there; true where left out. Needs permission to read. A change of it holds for what
    exists after `pulumi up` and then `pulumi refresh`."""
    endpoints: Input[ApiUrlsArgs]
    """URLs in place of Google's for `tpu`, `tpu_rest`, `aiplatform` and `iamcredentials`; plain http to a loopback
    address only."""


SHAPE = shape_of(ProviderArgs)
SECRETS = tuple(argument.wire for argument in SHAPE.arguments if argument.field.secret)
TRUTH = {"true": True, "false": False, "1": True, "0": False}


class Provider(pulumi.ProviderResource):
    """An explicit provider: other settings than the stack's, for the resources that are given it.

    What is left out comes from the environment, as for the stack's own provider; `owner_id` comes from the stack.
    """

    def __init__(
        self, resource_name: str, args: ProviderArgs | None = None, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        given = inputs_to_wire(SHAPE, args or {})
        given.setdefault("ownerId", pulumi.Config("tpuserve").get("ownerId"))
        props = {key: _setting(key, value) for key, value in given.items() if value is not None}
        super().__init__("tpuserve", resource_name, props, opts)


def _setting(key: str, value: Any) -> Any:
    """A setting as text, which is what the engine passes on: JSON where it is none."""
    if key in SECRETS:
        return pulumi.Output.secret(value)
    known = SHAPE.by_wire().get(key)
    return value if known is None or known.shape.kind == "string" else pulumi.Output.json_dumps(value)


def typed(key: str, value: Any) -> Any:
    """A stack file has all settings as text, and the SDKs send what is no text as JSON; what is neither stays."""
    argument = SHAPE.by_wire().get(key)
    if not isinstance(value, str) or argument is None or argument.shape.kind == "string":
        return value
    if argument.shape.kind == "boolean":
        return TRUTH.get(value.lower(), value)
    try:
        return json.loads(value)
    except ValueError:
        return value
