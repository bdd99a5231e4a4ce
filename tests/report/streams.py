"""Events of runs that no engine has run, in the engine's shape."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tpuserve.report import events
from tpuserve.report.report import Report, report

PROJECT = "acme"
QUEUED, MODEL = "tpuserve:tpu:QueuedResource", "tpuserve:vertex:Model"
ENDPOINT, DEPLOYMENT = "tpuserve:vertex:Endpoint", "tpuserve:vertex:Deployment"
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abcdef"}
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
Event = dict[str, Any]


def urn(kind: str, name: str) -> str:
    return f"urn:pulumi:prod::inference::{kind}::{name}"


def state(kind: str, name: str, inputs: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "urn": urn(kind, name), "custom": True, "parent": "", "inputs": inputs, "outputs": {}, **more}


def step(
    operation: str,
    kind: str = ENDPOINT,
    name: str = "web",
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    *,
    diff: Mapping[str, str] | None = None,
    **more: Any,
) -> Event:
    """A step with the inputs of both sides; `diff` is path -> kind."""
    return {"resourcePreEvent": {"metadata": _metadata(operation, kind, name, old, new, diff=diff) | more}}


def found(kind: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any] | None, **diff: str) -> Event:
    """What a refresh found."""
    return {"resOutputsEvent": {"metadata": _metadata("refresh", kind, name, old, new, diff=diff)}}


def _metadata(
    operation: str,
    kind: str,
    name: str,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
    *,
    diff: Mapping[str, str] | None,
) -> dict[str, Any]:
    detailed = {path: {"diffKind": each, "inputDiff": True} for path, each in (diff or {}).items()}
    sides = {side: given if given is None else state(kind, name, given) for side, given in (("old", old), ("new", new))}
    keys = [path for path, each in (diff or {}).items() if each.endswith("-replace")]
    return {"op": operation, "urn": urn(kind, name), "type": kind, "detailedDiff": detailed, "keys": keys, **sides}


def replaced(
    first: str,
    kind: str,
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    *,
    diff: Mapping[str, str],
) -> list[Event]:
    """A replacement, `delete` or `create` first."""
    made = [
        step("create-replacement", kind, name, old, new, diff=diff),
        step("replace", kind, name, old, new, diff=diff),
    ]
    gone = [step("delete-replaced", kind, name, old)]
    return [*gone, *made[::-1]] if first == "delete" else [*made, *gone]


def violation(text: str, level: str = "mandatory", policy: str = "machine-types", on: str = "") -> Event:
    told = {"policyName": policy, "enforcementLevel": level, "message": text, "resourceUrn": on}
    return {"policyEvent": told}


def said(severity: str, text: str, on: str = "") -> Event:
    return {"diagnosticEvent": {"severity": severity, "message": text, "urn": on}}


END: Event = {"summaryEvent": {"result": "succeeded", "isPreview": True}}
FAILED: Event = {"summaryEvent": {"result": "failed", "isPreview": True}}


def end_of(letter: str) -> str:
    """The end of an id that the provider makes."""
    return letter * 10


def lines(given: Iterable[Event]) -> list[str]:
    return [json.dumps({"sequence": number, **each}) for number, each in enumerate(given)]


def told(*given: Event, config: Mapping[str, Any] | None = None, end: Event | None = END) -> Report:
    """The report of these events."""
    ended: Sequence[Event] = [] if end is None else [end]
    return report(events.read(lines([*given, *ended])), config)


def slices(count: int, kind: str = "v6e-8", **more: Any) -> dict[str, Any]:
    """Inputs of a queued resource."""
    spec = {"multiNodeParams": {"nodeCount": count, "nodeIdPrefix": "rank"}, "node": {"acceleratorType": kind}}
    return {"project": PROJECT, "zone": "us-east5-b", "tpu": {"nodeSpec": [spec]}, **more}


def deployment(split: Mapping[str, int] | None = None, paused: bool = False, /, **counts: Any) -> dict[str, Any]:
    """Inputs of a Deployment: variant -> replicas, or its arguments."""
    models = {name: variant(given) if isinstance(given, int) else given for name, given in counts.items()}
    given: dict[str, Any] = {"endpoint": "projects/acme/locations/us-east5/endpoints/e", "deployedModels": models}
    return given | ({"trafficSplit": split} if split is not None else {}) | ({"paused": True} if paused else {})


def variant(count: int, version: str = "1", **more: Any) -> dict[str, Any]:
    machine = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": count}
    return {"model": f"projects/acme/locations/us-east5/models/m@{version}", "dedicatedResources": machine, **more}
