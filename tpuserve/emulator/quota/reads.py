"""What Cloud Quotas answers about the same numbers: quotaInfos of cloudquotas.v1, as JSON.

As JSON alone: gRPC would ask for google-cloud-quotas wherever the emulator runs. Fields and their meaning are those of
its docstrings (cloudquotas_v1.QuotaInfo, DimensionsInfo).
"""

import re
from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import invalid, not_found
from tpuserve.emulator.names import resolved
from tpuserve.emulator.paging import page
from tpuserve.emulator.quota.tables import QUOTAS, Quota

PATH = re.compile(
    r"(?P<parent>projects/[^/]+/locations/global)/services/(?P<service>[^/]+)/quotaInfos(?:/(?P<quota>[^/]+))?"
)
UNLIMITED = "-1"
_SIZE = re.compile("[0-9]{1,9}")


class QuotaReads:
    """quotaInfos.get and quotaInfos.list. assumed: a quota without a limit has the value -1, in no location."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def answered(self, path: str, page_size: str = "0", page_token: str = "") -> dict[str, Any]:
        """What a path of the form PATH answers."""
        found = PATH.fullmatch(path)
        if found is None:
            raise invalid("name", path, f"of the form {PATH.pattern}")
        parent = str(resolved(found["parent"], self._core.settings.projects, field="parent"))
        infos = [self._info(parent, quota) for quota in QUOTAS.values() if quota.service == found["service"]]
        if found["quota"]:
            return self._one(infos, path, found["quota"])
        if not _SIZE.fullmatch(page_size):
            raise invalid("pageSize", page_size, "a number, 0 or more")
        chosen, token = page(infos, int(page_size), page_token)
        return {"quotaInfos": chosen} | ({"nextPageToken": token} if token else {})

    def _one(self, infos: list[dict[str, Any]], path: str, quota: str) -> dict[str, Any]:
        info = next((info for info in infos if info["quotaId"] == quota), None)
        if info is None:
            raise not_found(path)
        return info

    def _info(self, parent: str, quota: Quota) -> dict[str, Any]:
        return {
            "name": f"{parent}/services/{quota.service}/quotaInfos/{quota.id}",
            "quotaId": quota.id,
            "metric": quota.metric,
            "service": quota.service,
            "isPrecise": True,
            "containerType": "PROJECT",
            "dimensions": [quota.dimension],
            "metricDisplayName": quota.title,
            "quotaDisplayName": quota.title,
            "metricUnit": "1",
            "dimensionsInfos": self._dimensions(quota),
        }

    def _dimensions(self, quota: Quota) -> list[dict[str, Any]]:
        """From more specific ones to less specific ones, as QuotaInfo.dimensions_infos says; a limit of 0 has no
        value, as JSON leaves a number out that is its default."""
        limits = (self._core.settings.quotas or {}).get(quota.id)
        if limits is None:
            return [{"details": {"value": UNLIMITED}}]
        places = sorted({*limits} - {"*"})
        named = [
            {"dimensions": {quota.dimension: place}, "applicableLocations": [place], "details": _value(limits[place])}
            for place in places
        ]
        return [*named, {"details": _value(limits.get("*", 0))}]


def _value(limit: int) -> dict[str, str]:
    return {"value": str(limit)} if limit else {}
