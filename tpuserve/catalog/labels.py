"""Labels of models, endpoints and nodes."""

from collections.abc import Mapping

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.identifiers import check_resource_id

RESERVED = "tpuserve-"
"""What the keys begin with by which the provider knows its own objects again."""


def check_labels(labels: Mapping[str, str | Unknown] | Unknown) -> list[tuple[str, str]]:
    """What is wrong with labels; each fault with the key it is about."""
    if isinstance(labels, Unknown):
        return []
    checked = ((key, _check_label(key, value)) for key, value in labels.items())
    return [(key, message) for key, message in checked if message]


def _check_label(key: str, value: str | Unknown) -> str | None:
    if key.startswith(RESERVED):
        return f"keys that begin with {RESERVED!r} are the provider's own; choose another key"
    return check_resource_id("labelKey", key) or check_resource_id("labelValue", value)
