"""What Cloud TPU offers in a zone: accelerator types and runtime versions."""

from typing import Any

from tpuserve.emulator.catalog_data import names
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import invalid, not_found
from tpuserve.emulator.messages import tpu
from tpuserve.emulator.names import Name, zone
from tpuserve.emulator.paging import page

# AcceleratorConfig.Type of each generation that the data files name
_TYPES = {"v5e": "V5LITE_POD", "v6e": "V6E"}


class Offers:
    """ListAcceleratorTypes, GetAcceleratorType, ListRuntimeVersions, GetRuntimeVersion.

    The names are those of the catalog's data files, in their order. assumed: a zone offers what belongs to a generation
    that a source names for it; a zone that no source names offers nothing.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def list_accelerator_types(self, request: Any) -> Any:
        found, token = self._page(request, self._accelerator_types)
        return tpu("ListAcceleratorTypesResponse")(accelerator_types=found, next_page_token=token)

    def get_accelerator_type(self, request: Any) -> Any:
        return self._one(request, "acceleratorTypes", self._accelerator_types)

    def list_runtime_versions(self, request: Any) -> Any:
        found, token = self._page(request, self._runtime_versions)
        return tpu("ListRuntimeVersionsResponse")(runtime_versions=found, next_page_token=token)

    def get_runtime_version(self, request: Any) -> Any:
        return self._one(request, "runtimeVersions", self._runtime_versions)

    def _page(self, request: Any, offered: Any) -> tuple[Any, str]:
        for field in ("filter", "order_by"):
            if getattr(request, field):  # assumed: no client of this emulator filters or sorts these
                raise invalid(field, getattr(request, field), "empty")
        parent = zone(self._core.name(request.parent, field="parent"), "parent")
        return page(offered(parent), request.page_size, request.page_token)

    def _one(self, request: Any, collection: str, offered: Any) -> Any:
        name = zone(self._core.name(request.name, collection))
        found = next((item for item in offered(name.parent) if item.name == str(name)), None)
        if found is None:
            raise not_found(str(name))
        return found

    def _accelerator_types(self, parent: Name) -> list[Any]:
        return [
            tpu("AcceleratorType")(
                name=str(parent.child("acceleratorTypes", name)),
                type_=name,
                accelerator_configs=[
                    tpu("AcceleratorConfig")(type_=_TYPES[row["generation"]], topology=row["topology"])
                ],
            )
            for name, row in names("accelerator_types").items()
            if row["generation"] in _generations(parent)
        ]

    def _runtime_versions(self, parent: Name) -> list[Any]:
        return [
            tpu("RuntimeVersion")(name=str(parent.child("runtimeVersions", name)), version=name)
            for name, row in names("runtimes").items()
            if row["generation"] in _generations(parent)
        ]


def _generations(parent: Name) -> list[str]:
    return [generation for generation, zones in names("zones").items() if parent.location in zones]
