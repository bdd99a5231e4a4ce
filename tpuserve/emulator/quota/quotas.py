"""Limits of a project, what is charged to them, and the refusal of more."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import ParseDict

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code
from tpuserve.emulator.messages import DeployedModel, vertex
from tpuserve.emulator.quota.charges import Charge, of_replicas, of_request
from tpuserve.emulator.quota.tables import QUOTAS, TPU
from tpuserve.emulator.tpu.rules import planned
from tpuserve.emulator.tpu.run_duration import DOCUMENT, model_of
from tpuserve.emulator.vertex.deployed import deployed_in


class Quotas:
    """The limits are the setting `quotas`; what is charged is counted from what there is, so nothing can drift."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def limit(self, quota: str, location: str) -> int | None:
        """None: no limit. Of a quota that has limits, a location without one has 0, as an answer without a value does.

        Source: public repositories that read quotas so. `*` stands for every location that is not named.
        """
        limits = (self._core.settings.quotas or {}).get(quota)
        return None if limits is None else limits.get(location, limits.get("*", 0))

    def used(self) -> Counter[tuple[str, str, str]]:
        """Chips by project, quota and location."""
        found: Counter[tuple[str, str, str]] = Counter()
        for charge in self._charges():
            found[charge[:3]] += charge.chips
        return found

    def refuse(self, charge: Charge | None, *, instead_of: Charge | None = None) -> None:
        """RESOURCE_EXHAUSTED if this charge, in place of another that is held already, goes beyond the limit."""
        limit = self.limit(charge.quota, charge.location) if charge is not None else None
        if charge is None or limit is None:
            return
        held = instead_of.chips if instead_of is not None else 0
        if charge.chips > held and self.used()[charge[:3]] - held + charge.chips > limit:
            raise exceeded(charge, limit)

    def described(self) -> list[dict[str, Any]]:
        """Every quota and place that has a limit or is used, as the control API answers it."""
        used = self.used()
        named = {(quota, place) for quota, limits in (self._core.settings.quotas or {}).items() for place in limits}
        projects = [str(number) for number in self._core.settings.projects.values()]
        keys = {*used, *((project, *key) for project in projects for key in named)}
        return [self._row(key, used[key]) for key in sorted(keys)]

    def _row(self, key: tuple[str, str, str], used: int) -> dict[str, Any]:
        project, quota, location = key
        limit = self.limit(quota, location)
        row = {"project": project, "quota": quota, "metric": QUOTAS[quota].metric, "location": location, "used": used}
        return row if limit is None else row | {"limit": limit}

    def _charges(self) -> Iterator[Charge]:
        for charge in (*self._of_requests(), *self._of_endpoints(), *self._of_operations(), *self._of_pools()):
            if charge is not None:
                yield charge

    def _of_requests(self) -> Iterator[Charge | None]:
        for text, stored in self._core.store.items("queued_resources"):
            name = self._core.any_name(text)
            model = model_of(self._core.beside.of(text, DOCUMENT))
            yield of_request(name, stored, planned(stored, name.id), model)

    def _of_endpoints(self) -> Iterator[Charge | None]:
        for text, endpoint in self._core.store.items("endpoints"):
            name = self._core.any_name(text)
            for deployed in endpoint.deployed_models:
                yield of_replicas(name, deployed.dedicated_resources)

    def _of_operations(self) -> Iterator[Charge | None]:
        """What is on its way: a deployment that is not in its endpoint yet, replicas that a change adds, a pool."""
        for operation in self._core.operations.running():
            name = self._core.any_name(operation.target)
            if operation.kind == "deploy_model" and self._deployed(operation.target, operation.data["id"]) is None:
                yield of_replicas(name, ParseDict(operation.data["deployed"], DeployedModel()).dedicated_resources)
            elif operation.kind == "mutate_deployed_model":
                yield self._added(operation.target, operation.data)
            elif operation.kind == "create_deployment_resource_pool":
                request = ParseDict(operation.data["request"], vertex("CreateDeploymentResourcePoolRequest")())
                yield of_replicas(name, request.deployment_resource_pool.dedicated_resources)

    def _of_pools(self) -> Iterator[Charge | None]:
        for text, pool in self._core.store.items("pools"):
            yield of_replicas(self._core.any_name(text), pool.dedicated_resources)

    def _deployed(self, endpoint: str, identifier: str) -> Any:
        return deployed_in(self._core.store.get("endpoints", endpoint), identifier)

    def _added(self, endpoint: str, data: dict[str, Any]) -> Charge | None:
        current = self._deployed(endpoint, data["id"])
        if current is None or "dedicated_resources.max_replica_count" not in data["paths"]:
            return None
        wanted = vertex("DedicatedResources")()
        wanted.CopyFrom(current.dedicated_resources)
        given = ParseDict(data["request"], vertex("MutateDeployedModelRequest")()).deployed_model
        added = given.dedicated_resources.max_replica_count - wanted.max_replica_count
        wanted.max_replica_count, wanted.min_replica_count = max(added, 0), 0
        return of_replicas(self._core.any_name(endpoint), wanted)


def exceeded(charge: Charge, limit: int) -> ApiError:
    """The words are those of Google's answers in public issues; assumed: of a zone as of a region, and of serving as of
    training."""
    quota = QUOTAS[charge.quota]
    if quota.service == TPU:  # marin-community/marin#1612
        message = f"Quota limit '{quota.id}' has been exceeded. Limit: {limit} in {quota.dimension} {charge.location}."
    else:  # google-deepmind/xmanager#29
        message = f"The following quota metrics exceed quota limits: {quota.metric}"
    return ApiError(Code.RESOURCE_EXHAUSTED, message)
