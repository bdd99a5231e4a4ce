"""A queued resource as Google shows it: its place on the way, its outputs, and its end in a user's words (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.catalog.google_errors import error_kind
from tpuserve.google import CloudError
from tpuserve.provider.drift import followed
from tpuserve.provider.lifecycle import Inputs, Outputs
from tpuserve.provider.ownership import Identity
from tpuserve.provider.waiting import code_name
from tpuserve.resources.diff import changes
from tpuserve.resources.fields import said_over_rest
from tpuserve.resources.queued_resource import DEFINITION
from tpuserve.resources.same import path_of
from tpuserve.resources.wire import from_google

# Where a request is on its way to its slices. ACCEPTED is the older name of WAITING_FOR_RESOURCES.
PLACES = {"CREATING": 0, "ACCEPTED": 1, "WAITING_FOR_RESOURCES": 1, "PROVISIONING": 2, "ACTIVE": 3}
WITHOUT_NODES = ("CREATING", "ACCEPTED", "WAITING_FOR_RESOURCES")
ENDED = {"FAILED": "failed", "SUSPENDING": "is being suspended", "SUSPENDED": "was suspended"}
# Dead, and still charged: "Queued resources consume quota regardless of their state" (docs/queued-resources).
DEAD = tuple(ENDED)
INITIATORS = {"SERVICE": " by Google", "USER": " by a user"}
# Causes of a FAILED request for which the classifier's advice holds; the rest speaks of calls, not of a request.
ADVISED = ("capacity", "quota", "permission", "region", "organisation policy", "API not enabled")


def state_of(live: Mapping[str, Any]) -> str:
    """The state's name."""
    return live.get("state", {}).get("state", "CREATING")


def spec_of(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only element of `tpu.nodeSpec`, of Google's object or of inputs as far as they are known."""
    tpu = request.get("tpu") or {}
    specs = tpu.get("nodeSpec") or [{}]
    return specs[0] or {}


def count_of(request: Mapping[str, Any]) -> int:
    """How many slices were asked for."""
    found = (spec_of(request).get("multiNodeParams") or {}).get("nodeCount", 1)
    return 1 if found is UNKNOWN else int(found)


def chips_of(request: Mapping[str, Any], zone: str = "") -> str:
    """What a request holds, in chips where the catalog knows its accelerator."""
    count, accelerator = count_of(request), catalog.accelerator_of(spec_of(request).get("node"))
    need = catalog.need_of_slices(count, accelerator, zone)
    where = f" in {zone}" if zone else ""
    if need is None:
        return f"{count} slice{'s' * (count != 1)}{where}"
    return f"{need.chips} chip{'s' * (need.chips != 1)} of {need.generation} ({need.reason}){where}"


def outputs(live: Mapping[str, Any], nodes: list[dict[str, Any]], identity: Identity) -> Outputs:
    """The outputs of the resource."""
    state = {"state": state_of(live), "stateInitiator": live.get("state", {}).get("stateInitiator", "")}
    if error := _error(live):
        state["failedData"] = {"error": {"code": error.code, "message": error.message}}
    return {
        "name": live["name"],
        "createTime": live.get("createTime", ""),
        "state": state,
        "nodes": [_node(node) for node in nodes],
        "origin": identity.origin,
    }


def _node(node: Mapping[str, Any]) -> dict[str, Any]:
    told = {field: node.get(field, "") for field in ("name", "state", "health", "healthDescription")}
    shown = {**told, "networkEndpoints": [_endpoint(endpoint) for endpoint in node.get("networkEndpoints", [])]}
    maintenance = node.get("upcomingMaintenance")
    return {**shown, "upcomingMaintenance": dict(maintenance)} if maintenance else shown


def _endpoint(endpoint: Mapping[str, Any]) -> dict[str, Any]:
    external = endpoint.get("accessConfig", {}).get("externalIp")
    told = {"ipAddress": endpoint.get("ipAddress", ""), "port": endpoint.get("port", 0)}
    return {**told, "externalIp": external} if external else told


def _error(live: Mapping[str, Any]) -> CloudError | None:
    """Google's own cause of a FAILED request."""
    status = live.get("state", {}).get("failedData", {}).get("error")
    if not status:
        return None
    code = status.get("code", 2)  # a number in Google's message, its name in the outputs
    named = code if isinstance(code, str) else code_name(code)
    return CloudError("CreateQueuedResource", named, status.get("message", ""))


def ended(live: Mapping[str, Any], inputs: Inputs) -> str:
    """The whole message for a request that will not come to its slices."""
    now = state_of(live)
    head = f"the queued resource {ENDED[now]}{_because(live)}"
    if now == "FAILED":
        after = "the next `pulumi up` deletes it and asks again"
        return f"{head}{_advice(live, inputs)}; it holds quota for {_held(inputs)} until it is deleted: {after}"
    run = ", as they are when their run is over (runDuration)" if needs_rest(inputs) else ""
    return f"{head}: its slices are deleted{run}, and it does not queue again; {_suspended(inputs)}"


def _because(live: Mapping[str, Any]) -> str:
    """Google's words first: they are what a user searches for."""
    initiator, error = live.get("state", {}).get("stateInitiator", ""), _error(live)
    by = f"{INITIATORS.get(initiator, '')} (stateInitiator {initiator})" if initiator else ""
    return f"{by}: {error.message.rstrip('.')} ({error.code})" if error else by


def _advice(live: Mapping[str, Any], inputs: Inputs) -> str:
    error, policy = _error(live), inputs.get("queueingPolicy") or {}
    kind = error_kind(error.code, error.message, error.reason) if error else None
    if kind and kind.name in ADVISED:
        return f". Cause: {kind.name}; {kind.advice}{shared_vpc(inputs) if kind.name == 'permission' else ''}"
    limits = [name for name in policy if name.startswith("validUntil") or name == "validInterval"]
    return f". If its time ran out, give queueingPolicy.{limits[0]} a later end" if limits else ""


def shared_vpc(inputs: Inputs) -> str:
    """What else a permission can be about, where the network is another project's."""
    network = (spec_of(inputs).get("node") or {}).get("networkConfig") or {}
    names = [path_of(network[key]).split("/") for key in ("network", "subnetwork") if isinstance(network.get(key), str)]
    hosts = sorted({name[1] for name in names if name[0] == "projects"} - {inputs.get("project")})
    if not hosts:
        return ""
    return f"; the Shared VPC of {hosts[0]} needs roles/tpu.xpnAgent in that project for the TPU service agent"


def _held(inputs: Inputs) -> str:
    return chips_of(inputs, str(inputs.get("zone", "")))


def _suspended(inputs: Inputs) -> str:
    holds = f"it holds quota for {_held(inputs)} until it is deleted"
    if inputs.get("onSuspended") == "REPLACE":
        return f"{holds}: the next `pulumi up` deletes it and asks again (onSuspended: REPLACE)"
    return f"{holds}: onSuspended: REPLACE lets the next `pulumi up` delete it and ask again"


def warning(state: Outputs, old: Inputs, new: Inputs, replaced: bool) -> str:
    """What a preview has to say of a request that is dead and still holds quota."""
    told = state.get("state") or {}
    if told.get("state") not in DEAD:
        return ""
    holds = f"{told['state']}{_because(state)}. It holds quota for {_held(old)} until it is deleted"
    if replaced or told["state"] == "FAILED":
        return f"{holds}, which this update does before it asks again"
    return f"{holds}: it is kept (onSuspended: KEEP); REPLACE asks again, `pulumi destroy` gives the quota back"


def lost_workload_type(live: Mapping[str, Any], inputs: Inputs) -> str:
    """Why the slices are not what was asked for: Google kept another workload type."""
    asked = (spec_of(inputs).get("multiNodeParams") or {}).get("workloadType")
    kept = (spec_of(live).get("multiNodeParams") or {}).get("workloadType", "none")
    if asked in (None, kept):
        return ""
    slices = "the slices are no collection" if asked == catalog.COLLECTION else "the slices are kept up otherwise"
    return (
        f"tpu.nodeSpec[0].multiNodeParams.workloadType: asked for {asked}, and Google kept {kept}: {slices}. A request "
        "cannot be changed: another `recreate` gives these slices up and asks again"
    )


def needs_rest(inputs: Mapping[str, Any]) -> bool:
    """Whether an argument is given that only REST can say."""
    return bool(said_over_rest(DEFINITION.shape, inputs))


def followed_over_rest(live: Mapping[str, Any], inputs: Inputs) -> Inputs:
    """The inputs with what Google kept of those arguments, where they are given; what was not asked for is no drift."""
    said = said_over_rest(DEFINITION.shape, inputs)
    rest = {name: value for name, value in inputs.items() if name not in said}
    return rest | (followed(DEFINITION.shape, from_google(DEFINITION.shape, live), said) if said else {})


def lost_over_rest(live: Mapping[str, Any], inputs: Inputs) -> str:
    """Why the slices are not what was asked for: Google kept something else of what REST alone says."""
    found = list(changes(DEFINITION.shape, inputs, followed_over_rest(live, inputs)))
    if not found:
        return ""
    kept = "; ".join(
        f"{change.path}: asked for {change.old}, and Google kept {catalog.at(live, change.path) or 'none'}"
        for change in found
    )
    return f"{kept}. A request cannot be changed: another `recreate` gives these slices up and asks again"


def ends_unasked(live: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    """Whether the slices are taken away by themselves, and nobody asked for that."""
    flex = live.get("provisioningModel") == catalog.FLEX_START != inputs.get("provisioningModel")
    return flex or bool(live.get("runDuration") and not inputs.get("runDuration"))


def over(inputs: Inputs, now: float) -> str:
    """Why a request would come to nothing, asked for `now` (seconds since 1970); empty where it would not."""
    found = {
        "queueingPolicy": catalog.check_not_over(inputs.get("queueingPolicy"), now),
        "runDuration": catalog.check_run_not_over(inputs.get("runDuration"), now),
    }
    return next((f"{argument}.{over[0]}: {over[1]}" for argument, over in found.items() if over), "")
