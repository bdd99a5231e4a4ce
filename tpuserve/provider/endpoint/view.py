"""An endpoint as one Deployment sees it: what is its own, what is others', and what Read makes of it (pure)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.provider.deployment.deployed_model import VARIANT, Live, specification, unplaced
from tpuserve.provider.drift import followed
from tpuserve.provider.ownership import Identity, read_mark
from tpuserve.resources.diff import with_effect
from tpuserve.resources.fields import REDEPLOY, Effect
from tpuserve.resources.same import path_of
from tpuserve.resources.wire import to_google

Outputs = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """An endpoint's deployed models and shares."""

    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def is_private(self) -> bool:
        """Whether it is reached by private services access: it has no traffic split, and one deployed model at most."""
        return bool(self.data.get("network"))

    @property
    def shares(self) -> dict[str, int]:
        if self.is_private:
            return {item["id"]: 100 for item in self.data.get("deployedModels", [])}
        return {key: int(value) for key, value in self.data.get("trafficSplit", {}).items()}

    @property
    def live(self) -> list[Live]:
        return [Live(item, self.shares.get(item["id"], 0)) for item in self.data.get("deployedModels", [])]

    def by_id(self) -> dict[str, Live]:
        return {item.id: item for item in self.live}

    def chips_of(self, ids: Collection[str]) -> int:
        """TPU chips that these deployed models are charged for."""
        return sum(item.chips for item in self.live if item.id in ids)


def listed_ids(state: Mapping[str, Any]) -> set[str]:
    """Every deployed model that a state entry lists."""
    status = state.get("deployedModelStatus") or {}
    ids = {item["id"] for item in status.values() if isinstance(item, Mapping) and item.get("id")}
    return ids | set(state.get("retiring") or [])


def recorded_ids(state: Mapping[str, Any]) -> dict[str, str]:
    """Variant -> deployed model in a state entry."""
    status = state.get("deployedModelStatus") or {}
    return {name: item["id"] for name, item in status.items() if isinstance(item, Mapping) and item.get("id")}


def less_anothers(state: Mapping[str, Any], view: View, identity: Identity) -> dict[str, Any]:
    """The state without what another hand has deployed since under an id that it lists."""
    status, live = state.get("deployedModelStatus") or {}, view.by_id()
    there = {name: live.get(key) for name, key in recorded_ids(state).items()}
    gone = {name for name, item in there.items() if item and _is_anothers(status[name], item, identity)}
    kept = {name: told for name, told in status.items() if name not in gone}
    return {**state, "deployedModelStatus": kept}


def _is_anothers(told: Mapping[str, Any], item: Live, identity: Identity) -> bool:
    """As of any other object (`ownership.is_anothers`): of another time, and without our mark."""
    another_time = bool(told.get("createTime")) and told["createTime"] != item.data.get("createTime")
    return another_time and not item.has_identity(identity.hash[:12])


def outputs(view: View, ids: Mapping[str, str], listed: set[str], identity: Identity) -> Outputs:
    """What the state records: each variant as it is, what of ours is left besides, and what is others'."""
    live = view.by_id()
    ours = {key for key, item in live.items() if key in listed or item.has_identity(identity.hash[:12])}
    ours |= set(ids.values())
    return {
        "endpointName": view.name,
        "deployedModelStatus": {name: _status(live[key]) for name, key in sorted(ids.items()) if key in live},
        "retiring": sorted((ours & set(live)) - set(ids.values())),
        "foreign": [_foreign(item) for key, item in sorted(live.items()) if key not in ours],
        "origin": identity.origin,
    }


def _status(item: Live) -> dict[str, Any]:
    status = item.data.get("status", {})
    return {
        "id": item.id,
        "model": item.model,
        "modelVersionId": item.version,
        "createTime": item.data.get("createTime", ""),
        "availableReplicaCount": status.get("availableReplicaCount", 0),
        "message": status.get("message", ""),
    }


def _foreign(item: Live) -> dict[str, Any]:
    return {"id": item.id, "displayName": item.display_name, "model": item.model, "share": item.share}


def variant_inputs(item: Live, given: Mapping[str, Any]) -> dict[str, Any]:
    """The variant's inputs with live values; what cannot be seen at Google is told by the mark."""
    found = item.inputs(given)
    if _is_same_model(given.get("model"), item):
        found["model"] = given["model"]
    if unplaced(str(given.get("sharedResources"))) == unplaced(found.get("sharedResources", "")):
        found["sharedResources"] = given["sharedResources"]
    inputs = followed(VARIANT, found, given)
    fixed = with_effect(VARIANT, to_google(VARIANT, inputs), Effect.REDEPLOY, REDEPLOY)
    mark = read_mark(item.display_name)
    if mark and mark.specification != specification({**fixed, **_recreate(inputs)}, item.model, item.version):
        inputs["recreate"] = f"deployed from another specification ({mark.specification})"
    return inputs


def _recreate(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"recreate": inputs["recreate"]} if inputs.get("recreate") else {}


def _is_same_model(given: Any, item: Live) -> bool:
    """Whether the input names the live version by number; an alias is resolved and compared in Diff."""
    if not isinstance(given, str):
        return False
    name, _, version = path_of(given).partition("@")
    if version.isdecimal() and version != item.version:
        return False
    return unplaced(name) == unplaced(item.model)


def inputs(view: View, state: Mapping[str, Any], given: Mapping[str, Any], endpoint: str) -> dict[str, Any]:
    """Inputs that give no diff where the endpoint is as the state says it should be."""
    if given.get("paused") and not recorded_ids(state):
        return {**given, "endpoint": given.get("endpoint", endpoint)}
    live = view.by_id()
    ids = {name: key for name, key in recorded_ids(state).items() if key in live}
    variants = given.get("deployedModels") or {}
    models = {name: variant_inputs(live[key], variants.get(name, {})) for name, key in ids.items()}
    found = {**given, "endpoint": given.get("endpoint", endpoint), "deployedModels": models}
    names = {key: name for name, key in ids.items()}
    shares = {names.get(key, key): share for key, share in view.shares.items() if share}
    found.pop("trafficSplit", None)
    if given.get("trafficSplit") is not None or shares != dict.fromkeys(models, 100):
        zeros = {name: 0 for name in given.get("trafficSplit") or {} if name in models}
        found["trafficSplit"] = zeros | shares
    return found


def imported(view: View, endpoint: str, identity: Identity) -> tuple[dict[str, Any], dict[str, str]]:
    """Inputs and variants of an endpoint that no state speaks of: each deployed model becomes variant `d<id>`."""
    taken = [item for item in view.live if not read_mark(item.display_name) or item.has_identity(identity.hash[:12])]
    ids = {f"d{item.id}": item.id for item in taken}
    models = {f"d{item.id}": _imported_inputs(item) for item in taken}
    names = {key: name for name, key in ids.items()}
    shares = {names.get(key, key): share for key, share in view.shares.items() if share}
    split = {"trafficSplit": shares} if shares else {}  # nothing serves: there is no split that a program could give
    return {"endpoint": endpoint, "deployedModels": models, **split}, ids


def _imported_inputs(item: Live) -> dict[str, Any]:
    """Its arguments; a display name that its mark says was made from the variant's is none of them."""
    unnamed, mark = item.inputs({}), read_mark(item.display_name)
    if mark and mark.specification == specification(unnamed, item.model, item.version):
        return unnamed
    return item.inputs({"displayName": ""})
