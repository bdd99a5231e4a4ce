"""What may be done: the permissions that a caller has, and Google's refusal where a call needs another one.

Which permission a method needs is in the catalog's `permissions.toml`, with source and basis a row.
"""

from collections.abc import Collection, Mapping
from typing import Any

from tpuserve.emulator.catalog_data import names
from tpuserve.emulator.errors import ApiError, Code
from tpuserve.emulator.names import ZONE

_OPERATIONS = ("CancelOperation", "DeleteOperation", "GetOperation", "ListOperations", "WaitOperation")
# Fields of requests that name what is asked for, in this order; a message among them has a name of its own.
_FIELDS = ("parent", "name", "endpoint", "model")


def permissions() -> frozenset[str]:
    """Every permission there is."""
    return frozenset(row["permission"] for row in names("permissions").values())


def row_of(method: str, resource: str) -> str:
    """The row of `permissions.toml` for a method that is called on a resource."""
    if method not in _OPERATIONS:
        return method
    parts = resource.split("/")
    if len(parts) > 4 and parts[4] != "operations":
        return f"{method}/{parts[4]}"
    return f"{method}/{'zone' if ZONE.fullmatch(parts[3]) else 'region'}" if len(parts) > 3 else method


def needed(method: str, request: Any) -> tuple[str, str]:
    """The permission that a call needs, and the resource it needs it on; no permission for a name that is none."""
    resource = named(request)
    row = names("permissions").get(row_of(method, resource))
    return (row["permission"] if row else ""), resource


def named(request: Any) -> str:
    """What a request is about."""
    present = request.DESCRIPTOR.fields_by_name
    for field in _FIELDS:
        value = getattr(request, field) if field in present else ""
        name = value if isinstance(value, str) else value.name
        if name:
            return str(name)
    return ""


def named_in(request: Mapping[str, Any]) -> str:
    """The same of a request as the record has it."""
    values = [request.get(field, "") for field in _FIELDS]
    return next((name for name in (v if isinstance(v, str) else v.get("name", "") for v in values) if name), "")


def refuse(granted: Collection[str] | None, method: str, request: Any) -> None:
    """PERMISSION_DENIED for a call that needs what is not granted; None grants everything.

    assumed: the permission is asked for before anything else is looked at, so that one does not learn what exists.
    """
    if granted is None:
        return
    permission, resource = needed(method, request)
    if permission and permission not in granted:
        raise _denied(permission, resource)


def _denied(permission: str, resource: str) -> ApiError:
    # Cloud TPU: tensorflow/tpu#296. Vertex AI, with its details: GoogleCloudPlatform/t5x-on-vertex-ai#5.
    if permission.startswith("tpu."):
        return ApiError(Code.PERMISSION_DENIED, f"Permission '{permission}' denied on '{resource}'")
    return ApiError(
        Code.PERMISSION_DENIED,
        f"Permission '{permission}' denied on resource '//aiplatform.googleapis.com/{resource}' (or it may not exist).",
        reason="IAM_PERMISSION_DENIED",
        domain="aiplatform.googleapis.com",
        metadata={"permission": permission, "resource": resource},
    )
