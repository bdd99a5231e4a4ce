"""Arguments as Google's own messages: what is no field of them is not Google's, what is their default is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.cloud import aiplatform_v1, tpu_v2alpha1
from google.protobuf import json_format

from tests.generated.names import spelled
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE

Args = Mapping[str, Any]
MESSAGES: dict[str, Any] = {
    MODEL: aiplatform_v1.Model.pb(),
    ENDPOINT: aiplatform_v1.Endpoint.pb(),
    QUEUED_RESOURCE: tpu_v2alpha1.QueuedResource.pb(),
}
DEPLOYED_MODEL: Any = aiplatform_v1.DeployedModel.pb()
# MultiNodeParams.WorkloadType: hyphens and small letters are taken as well (resources.md).
ENUMS = {"availability-optimized": "AVAILABILITY_OPTIMIZED", "throughput-optimized": "THROUGHPUT_OPTIMIZED"}
# AcceleratorConfig: another way to say the accelerator type.
ACCELERATORS = {("V6E", "2x4"): "v6e-8", ("V6E", "2x2"): "v6e-4"}
OURS = ("tpuserve-", "c-")


def message(kind: Any, args: Any) -> dict[str, Any]:
    """The arguments that a message has, in Google's JSON."""
    made = json_format.ParseDict(_one_spelling(spelled(args)), kind(), ignore_unknown_fields=True)
    return json_format.MessageToDict(made)


def _one_spelling(value: Any) -> Any:
    if isinstance(value, Mapping):
        config = value.get("acceleratorConfig")
        typed = {"acceleratorType": ACCELERATORS[config["type"], config["topology"]]} if config else {}
        return {key: _one_spelling(item) for key, item in value.items() if key != "acceleratorConfig"} | typed
    if isinstance(value, list):
        return [_one_spelling(item) for item in value]
    return ENUMS.get(value, value) if isinstance(value, str) else value


def own(token: str, args: Args) -> dict[str, Any]:
    """The arguments that Google has no field for, less what says nothing."""
    fields = {field.json_name for field in MESSAGES[token].DESCRIPTOR.fields}
    return {key: value for key, value in args.items() if key not in fields and value not in (None, "", False, [], {})}


def of(token: str, args: Args) -> dict[str, Any]:
    """What is sent of a model, an endpoint or a queued resource."""
    found = _saying(MESSAGES[token], message(MESSAGES[token], args))
    return {**found, "versionAliases": sorted(found["versionAliases"])} if "versionAliases" in found else found


def _saying(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Less what is empty, but for one of several that exclude each other: of those the presence says all."""
    fields = {field.json_name: field for field in kind.DESCRIPTOR.fields}
    return {name: value for name, value in found.items() if value != {} or fields[name].containing_oneof}


def without_empty(value: Any) -> Any:
    """Less every empty part, at any depth."""
    if isinstance(value, Mapping):
        kept = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item != {}}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def users(token: str, live: Any) -> Any:
    """What is at Google, less what tpuserve and Google add: labels, aliases and the node's place."""
    found = _saying(MESSAGES[token], _one_spelling(live))
    for spec in found.get("tpu", {}).get("nodeSpec", []):
        spec.pop("parent", None)
        spec["node"] = _labelled(spec.get("node", {}))
    if "versionAliases" in found:
        aliases = sorted(name for name in found["versionAliases"] if not name.startswith(OURS) and name != "default")
        found["versionAliases"] = aliases
    return _labelled({key: value for key, value in found.items() if value != []})


def _labelled(value: Mapping[str, Any]) -> dict[str, Any]:
    labels = {key: label for key, label in value.get("labels", {}).items() if not key.startswith(OURS)}
    rest = {key: item for key, item in value.items() if key != "labels"}
    return rest | ({"labels": labels} if labels else {})


def variant(args: Args) -> dict[str, Any]:
    """What is sent of a variant, its model's version resolved; Google takes the minimum for counts left out."""
    found = message(DEPLOYED_MODEL, {key: value for key, value in args.items() if key != "model"})
    name, _, version = spelled(args["model"]).partition("@")
    resources = found.get("dedicatedResources", {})
    if resources:
        for count in ("maxReplicaCount", "requiredReplicaCount"):
            resources.setdefault(count, resources["minReplicaCount"])
    return {**found, "model": name.rsplit("/", 1)[-1], "modelVersionId": {"live": "2"}.get(version, version)}
