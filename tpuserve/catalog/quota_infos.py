"""What Cloud Quotas says of a quota (its message QuotaInfo, as JSON), as limits that charges are checked against."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tpuserve.catalog.quotas import ANY, Quota


def granted(quota: Quota, info: Mapping[str, Any], places: Collection[str] = ()) -> dict[str, int]:
    """Chips by place, of `places` alone where any are given. Places without chips are left out, for they have 0.

    A value that is missing is 0. An entry without applicableLocations holds for every place that no other names: `*`.
    Sources: cloudquotas_v1.QuotaInfo and DimensionsInfo; cloud.google.com/docs/quotas/reference/rest.
    """
    found: dict[str, int] = {}
    for place, limit in _entries(quota, info):
        found.setdefault(place, limit)  # the more specific come first
    others = found.get(ANY, 0)
    chosen = {place: found.get(place, others) for place in places} if places else found
    return {place: limit for place, limit in sorted(chosen.items()) if limit or (others and not places)}


def _entries(quota: Quota, info: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for entry in info.get("dimensionsInfos", ()):
        if set(entry.get("dimensions", ())) <= {quota.dimension}:
            limit = int(entry.get("details", {}).get("value", 0))
            for place in entry.get("applicableLocations") or entry.get("dimensions", {}).values() or [ANY]:
                yield place, limit
