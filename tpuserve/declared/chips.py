"""The TPU chips that resources of a stack ask for, whichever provider they are of: for quotas and for budgets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Need, Unknown, at
from tpuserve.declared.endpoints import IDS, NAME, Served, served
from tpuserve.declared.resource import Resource
from tpuserve.declared.tokens import (
    CLUSTER,
    DEPLOYMENT,
    NODE_POOL,
    QUEUED,
    RAW_GARDEN,
    RAW_POOL,
    RAW_QUEUED,
    RAW_VM,
)

TPU_FAMILIES = ("ct", "tpu")
"""What the names of Google's machine types with TPU chips begin with."""
NODES = {QUEUED: "nodeSpec", RAW_QUEUED: "nodeSpecs"}
"""Types of queued resources, each with the argument of `tpu` that holds its nodes."""
REPLICAS = {RAW_POOL: ("dedicatedResources", "region"), RAW_GARDEN: ("deployConfig.dedicatedResources", "location")}
"""Types with replicas of their own, each with where they are and the argument that is their region."""
NODES_OF_GKE = (NODE_POOL, CLUSTER)
"""Types of GKE, whose chips are not counted."""
TOKENS = (DEPLOYMENT, *NODES, RAW_VM, *REPLICAS, *NODES_OF_GKE)
"""Types that ask for chips."""
READ = (*TOKENS, *IDS)
"""Types that are needed to tell: a Deployment is where its endpoint is."""
COUNT = "multiNodeParams.nodeCount"
HOW = ("spot", "bestEffort", "provisioningModel")
"""Arguments that say how the slices' capacity is asked for."""
RESERVED = "schedulingConfig.reserved"
MACHINE = "nodeConfig.machineType"
NOT_GIVEN = "is left out, and the provider's own is not known here"
"""Of a place: the bridged provider takes it from its configuration."""


@dataclass(frozen=True, slots=True)
class Chips:
    """What one resource asks for at `path`."""

    resource: Resource
    path: str
    project: str
    """"" where the provider's own is used."""
    need: Need
    reserved: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """A value without which the chips of a resource cannot be told."""

    resource: Resource
    path: str
    reason: str = "is not known yet"


def chips_of(resources: Sequence[Resource]) -> Iterator[Chips | Missing]:
    """What each resource asks for, or why that cannot be told; in the order of their URNs."""
    for each in sorted(resources, key=lambda found: found.urn):
        if each.token in (*NODES, RAW_VM, *REPLICAS, *NODES_OF_GKE):
            yield from _told(each, _of(each))
    for found in served(resources):
        yield from _told(found.deployment, _deployed(found))


def _told(each: Resource, found: Iterator[Chips | Missing]) -> list[Chips | Missing]:
    try:
        return list(found)
    except (AttributeError, TypeError, ValueError):  # a list for a map and the like, which the provider refuses
        return [Missing(each, "its arguments", "are not of the kinds that its type has")]


def _of(each: Resource) -> Iterator[Chips | Missing]:
    if each.token in NODES:
        yield from _queued(each, each.given)
    elif each.token in NODES_OF_GKE:
        yield from _nodes(each)
    elif each.token == RAW_VM:
        yield from _slices(each, each.given, each.given, "", 1, preemptible=_scheduled(each.given))
    else:
        path, region = REPLICAS[each.token]
        resources = at(each.given, path)
        if resources is None and each.token == RAW_GARDEN:
            yield Missing(each, path, "is left out, and Google chooses the machines")
        yield from _replicas(each, resources, path, _place(each.given, region))


def _nodes(each: Resource) -> Iterator[Missing]:
    """No source tells which quota of Compute Engine GKE's nodes are charged to, nor that the list prices are theirs."""
    for path, pool in pools_of(each.given):
        machine = at(pool, MACHINE)
        if isinstance(machine, Unknown):
            yield Missing(each, f"{path}.{MACHINE}".lstrip(".") if isinstance(pool, Mapping) else path)
        elif str(machine).startswith(TPU_FAMILIES):
            yield Missing(each, f"{path}.{MACHINE}".lstrip("."), f"is {machine!r} on GKE, whose chips are not counted")


def pools_of(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """A node pool, or the pools inside a cluster: its path, "" for the resource itself, and its arguments."""
    yield "", given
    inside = given.get("nodePools")
    if isinstance(inside, Unknown):
        yield "nodePools", inside
    elif isinstance(inside, Sequence):
        yield from ((f"nodePools[{index}]", pool) for index, pool in enumerate(inside))


def _queued(each: Resource, given: Mapping[str, Any]) -> Iterator[Chips | Missing]:
    specs = at(given, f"tpu.{NODES[each.token]}")
    unclear = next((key for key in HOW if isinstance(given.get(key), Unknown)), "")
    if isinstance(specs, Unknown) or unclear:
        yield Missing(each, "tpu" if isinstance(specs, Unknown) else unclear)
        return
    if given.get("provisioningModel") == catalog.FLEX_START:
        yield Missing(each, "provisioningModel", "is FLEX_START, whose quota and price are not checked")
        return
    tier = any(given.get(key) is not None for key in ("spot", "bestEffort")) or given.get("provisioningModel") == "SPOT"
    for index, spec in enumerate(specs or ()):
        path = f"tpu.{NODES[each.token]}[{index}]"
        if isinstance(spec, Unknown):
            yield Missing(each, path)
            continue
        if spec is None:
            continue
        count = at(spec, COUNT)
        if isinstance(count, Unknown):
            yield Missing(each, f"{path}.{COUNT}")
            continue
        node = spec.get("node") or {}
        preemptible = tier or _scheduled(node)
        yield from _slices(each, given, node, f"{path}.node", int(count or 1), preemptible=preemptible)


def _slices(
    each: Resource, given: Mapping[str, Any], node: Any, path: str, count: int, *, preemptible: bool
) -> Iterator[Chips | Missing]:
    zone, name = given.get("zone", UNKNOWN), f"{path}.acceleratorType".lstrip(".")
    if unknown := _unknown_of_slices(given, node, path):
        yield Missing(each, unknown)
        return
    if isinstance(zone, Unknown):
        yield _without_place(each, "zone")
        return
    kind = _accelerator(node)
    if isinstance(kind, Unknown):
        yield Missing(each, name)
    elif kind is None:
        yield Missing(each, name, f"is {node.get('acceleratorType')!r}, whose chips the catalog does not know")
    elif need := catalog.need_of_slices(count, kind.name, zone, preemptible=preemptible):
        _check(given.get("project", ""), zone)
        reserved = given.get("reservationName") is not None or any(
            at(holder, key) is True for holder, key in ((given, "guaranteed.reserved"), (node, RESERVED))
        )
        yield Chips(each, path or name, given.get("project", ""), need, reserved)


def _unknown_of_slices(given: Mapping[str, Any], node: Any, path: str) -> str:
    if isinstance(node, Unknown):
        return path
    of_node = ("schedulingConfig", "schedulingConfig.spot", "schedulingConfig.preemptible", RESERVED)
    found = [f"{path}.{key}".lstrip(".") for key in of_node if isinstance(at(node, key), Unknown)]
    found += [key for key in ("project", "guaranteed", "guaranteed.reserved") if isinstance(at(given, key), Unknown)]
    return next(iter(found), "")


def _accelerator(node: Mapping[str, Any]) -> Any:
    config = node.get("acceleratorConfig")
    if config is None:
        name = node.get("acceleratorType")
        return UNKNOWN if isinstance(name, Unknown) else catalog.accelerator_type(name)
    if isinstance(config, Unknown) or UNKNOWN in (config.get("type"), config.get("topology")):
        return UNKNOWN
    return catalog.accelerator_of_config(config.get("type"), config.get("topology"))


def _deployed(each: Served) -> Iterator[Chips | Missing]:
    models, paused = each.given.get("deployedModels", {}), each.given.get("paused")
    if isinstance(models, Unknown) or isinstance(paused, Unknown):
        yield Missing(each.deployment, "deployedModels" if isinstance(models, Unknown) else "paused")
    elif paused is not True:
        place = _of_endpoint(each.given.get("endpoint"), each.endpoint.given if each.endpoint else {})
        for name in sorted(models):
            path = f"deployedModels.{name}"
            if isinstance(models[name], Unknown):
                yield Missing(each.deployment, path)
            elif (own := models[name].get("dedicatedResources")) is not None:
                yield from _replicas(each.deployment, own, f"{path}.dedicatedResources", place)


def _of_endpoint(name: Any, endpoint: Mapping[str, Any]) -> tuple[Any, Any, str]:
    if isinstance(name, str) and (parts := NAME.fullmatch(name)):
        own = endpoint.get("project")  # Google names projects by number; limits and programs by id
        return own if parts[1].isdecimal() and isinstance(own, str) else parts[1], parts[2], "endpoint"
    return endpoint.get("project", ""), endpoint.get("location", UNKNOWN), "endpoint"


def _without_place(each: Resource, key: str) -> Missing:
    return Missing(each, key) if key in each.given else Missing(each, key, NOT_GIVEN)


def _place(given: Mapping[str, Any], region: str) -> tuple[Any, Any, str]:
    return given.get("project", ""), given.get(region, UNKNOWN), region


def _replicas(each: Resource, given: Any, path: str, place: tuple[Any, Any, str]) -> Iterator[Chips | Missing]:
    if given is None:
        return
    project, location, where = place
    if unknown := _unknown_of_replicas(given, path) or ("project" if project is UNKNOWN else ""):
        yield Missing(each, unknown)
        return
    if isinstance(location, Unknown):
        yield _without_place(each, where)
        return
    machine = given.get("machineSpec") or {}
    least, most = (int(given.get(key) or 0) for key in ("minReplicaCount", "maxReplicaCount"))
    shape = {"topology": machine.get("tpuTopology"), "preemptible": given.get("spot") is True}
    need = catalog.need_of_replicas(least, most, machine.get("machineType"), location, **shape)
    if need is not None:
        _check(project, location)
        bound = at(machine, "reservationAffinity.reservationAffinityType") == "SPECIFIC_RESERVATION"
        yield Chips(each, path, project, need, bound)
    elif str(machine.get("machineType")).startswith(TPU_FAMILIES):
        yield Missing(each, f"{path}.machineSpec", "is of a machine type whose chips the catalog does not know")


def _unknown_of_replicas(given: Any, path: str) -> str:
    if isinstance(given, Unknown):
        return path
    needed = ("machineSpec", "machineSpec.machineType", "machineSpec.tpuTopology", "minReplicaCount", "maxReplicaCount")
    return next((f"{path}.{key}" for key in (*needed, "spot") if isinstance(at(given, key), Unknown)), "")


def _check(*texts: object) -> None:
    """Raises TypeError for what is no text."""
    if not all(isinstance(each, str) for each in texts):
        raise TypeError


def _scheduled(node: Any) -> bool:
    return any(at(node, f"schedulingConfig.{key}") is True for key in ("spot", "preemptible"))
