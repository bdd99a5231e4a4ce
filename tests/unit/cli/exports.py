"""Stack exports and Google's answers, as short as they can be."""

from collections.abc import Mapping
from typing import Any

from tpuserve.orphans import Findings, Name, State, read_state
from tpuserve.provider.ownership import CLAIM_LABEL, OWNER_LABEL, Identity
from tpuserve.provider.server import LIFECYCLES

OWNER, OTHER = "a" * 20, "b" * 20
PLACE = "projects/p/locations/us-east5"
ENDPOINT = Name("p", "us-east5", "endpoints", "e")
MODEL = Name("p", "us-east5", "models", "m")
QUEUED = Name("p", "us-east5-b", "queuedResources", "q")
DEPLOYMENT = "tpuserve:vertex:Deployment"


def urn(token: str, name: str) -> str:
    return f"urn:pulumi:s::p::{token}::{name}"


def entry(token: str, identifier: str, /, name: str = "x", **more: Any) -> dict[str, Any]:
    """One resource of a state."""
    return {"urn": urn(token, name), "type": token, "custom": True, "id": identifier, "outputs": {}, **more}


def deployment(ids: Mapping[str, str], **outputs: Any) -> dict[str, Any]:
    """The entry of Deployment `d` on the endpoint."""
    status = {variant: {"id": key} for variant, key in ids.items()}
    return entry(DEPLOYMENT, str(ENDPOINT), "d", outputs={"deployedModelStatus": status, "retiring": [], **outputs})


def creating(token: str, name: str = "x", **inputs: Any) -> dict[str, Any]:
    """A create that was begun and never recorded."""
    return {"type": "creating", "resource": {"urn": urn(token, name), "type": token, "inputs": inputs}}


def read(*resources: Mapping[str, Any], pending: tuple[Mapping[str, Any], ...] = ()) -> State:
    """A state of these entries and pending operations."""
    export = {"version": 3, "deployment": {"resources": list(resources), "pending_operations": list(pending)}}
    return read_state(export, lambda token, inputs: LIFECYCLES[token].resource_id(dict(inputs)))


def mark(name: str = "d", owner: str = OWNER) -> str:
    """The end of a display name that Deployment `name` gave."""
    return Identity(owner, urn(DEPLOYMENT, name)).mark("0" * 12)


def claim(name: str = "d", owner: str = OWNER) -> dict[str, str]:
    """The label by which Deployment `name` holds an endpoint."""
    return {CLAIM_LABEL: Identity(owner, urn(DEPLOYMENT, name)).claim}


def owned(owner: str = OWNER) -> dict[str, str]:
    return {OWNER_LABEL: owner}


def endpoint(labels: Mapping[str, str], *marks: str, traffic: Mapping[str, int] | None = None) -> Findings:
    """One endpoint with a deployed model for each mark, their ids 1, 2 ..."""
    deployed = [{"id": str(number), "displayName": f"v{text}"} for number, text in enumerate(marks, 1)]
    item = {"labels": dict(labels), "deployedModels": deployed, "trafficSplit": dict(traffic or {})}
    return Findings(endpoints={ENDPOINT: item})
