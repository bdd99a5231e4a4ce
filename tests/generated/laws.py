"""What a change must do at Google, from Google's own descriptions of its fields (tests/contract/descriptions.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from google.cloud import aiplatform_v1

from tests.contract import descriptions
from tests.contract.test_contract_effects import ENDPOINT_REPLACEMENTS, MODEL_EXCEPTIONS, snake
from tests.generated import sent
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE

Args = Mapping[str, Any]
PLACE = ("project", "location", "zone", "recreate")
IDS = {MODEL: "modelId", ENDPOINT: "endpointId", QUEUED_RESOURCE: "queuedResourceId"}
DEFAULTS = {"project": "tpuserve-local", "location": "us-east5", "zone": "us-east5-b"}
IN_A_VERSION = descriptions.mutable_in_a_model()
IN_PLACE = descriptions.mutable_in_a_deployed_model()
FIXED = {
    MODEL: {name for name, (effect, _) in MODEL_EXCEPTIONS.items() if effect.name == "REPLACE"},
    ENDPOINT: descriptions.fields(aiplatform_v1.Endpoint, "Immutable") | set(ENDPOINT_REPLACEMENTS),
}
CREATES = {MODEL: "UploadModel", ENDPOINT: "CreateEndpoint", QUEUED_RESOURCE: "CreateQueuedResource"}


def differing(token: str, first: Args, second: Args) -> set[str]:
    """The fields of Google's message that differ, as its proto spells them."""
    one, other = sent.of(token, first), sent.of(token, second)
    return {snake(name) for name in {*one, *other} if one.get(name) != other.get(name)}


def is_another(token: str, first: Args, second: Args) -> bool:
    """Whether the change needs another object."""
    one, other = (DEFAULTS | dict(args) for args in (first, second))
    if any(one.get(name) != other.get(name) for name in PLACE):
        return True
    given = second.get(IDS[token])
    if given is not None and given != first.get(IDS[token]):
        return True
    changed = differing(token, first, second)
    return bool(changed if token == QUEUED_RESOURCE else changed & FIXED[token])


def is_unclear(token: str, first: Args, second: Args) -> bool:
    """Whether the two differ by a part that is there and says nothing: no source says whether that is a difference."""
    one, other = (sent.of(token, args) for args in (first, second))
    return one != other and sent.without_empty(one) == sent.without_empty(other)


def is_new_version(first: Args, second: Args) -> bool:
    """Whether another version of the model has to be uploaded."""
    return first.get("contentVersion") != second.get("contentVersion") or bool(
        differing(MODEL, first, second) - IN_A_VERSION
    )


def creates(token: str, first: Args, second: Args) -> int:
    """How many objects or versions the change makes."""
    return int(is_another(token, first, second) or (token == MODEL and is_new_version(first, second)))


def fixed(variant: Args) -> str:
    """What of a variant no mutateDeployedModel changes, and what asks for another by `recreate`."""
    return repr(_without(sent.variant(variant), IN_PLACE)) + variant.get("recreate", "")


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, Mapping):
        return sorted((key, _without(item, names)) for key, item in value.items() if snake(key) not in names)
    return value


def running(args: Args) -> dict[str, Any]:
    """The variants that run: none of a Deployment that is paused."""
    return {} if args.get("paused") else dict(args["deployedModels"])


def deployments(first: Args, second: Args) -> tuple[int, int]:
    """How many deployed models come and go: what is specified alike stays, whatever its variant is called."""
    before, after = (Counter(fixed(v) for v in running(args).values()) for args in (first, second))
    if first["endpoint"][-1] != second["endpoint"][-1]:
        return after.total(), before.total()
    return (after - before).total(), (before - after).total()


def shares(args: Args) -> dict[str, int]:
    """Variant -> share; 100 to the only one where none is given."""
    if args.get("paused"):
        return {}
    given = args.get("trafficSplit") or dict.fromkeys(args["deployedModels"], 100)
    return {name: share for name, share in given.items() if share}
