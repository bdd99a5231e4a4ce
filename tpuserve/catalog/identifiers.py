"""Identifiers that a user may choose, and what Google allows in them."""

import re

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.tables import table


def check_resource_id(kind: str, value: str | Unknown) -> str | None:
    """Why `value` cannot be an identifier of that kind.

    `kind` is a row of `data/identifiers.toml`: queuedResourceId, nodeId, nodeIdPrefix, modelId, endpointId,
    deployedModelId, versionAlias, versionId, variant, labelKey, labelValue, zone, region, project, displayName,
    deployedModelDisplayName, envVarName, artifactUri, route, invokeRoutePrefix or kmsKeyName, or the path of an
    argument. KeyError for another.
    """
    if isinstance(value, Unknown):
        return None
    row = table("identifiers")[kind]
    if isinstance(value, str) and re.fullmatch(row["pattern"], value) and not _has_capitals(row, value):
        return None
    return f"{value!r} is not a valid {row['noun']}; allowed: {row['allowed']}"


def check_node_prefix(value: str | Unknown) -> str | None:
    """Why `value` cannot begin the names of a collection's nodes (`<prefix>-0`, `<prefix>-1`, ...)."""
    return check_resource_id("nodeIdPrefix", value)


def _has_capitals(row: dict[str, object], value: str) -> bool:
    return bool(row.get("lowercase")) and value != value.lower()
