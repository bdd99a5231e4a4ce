"""The lifecycle of a model: one version described by the arguments, beside those that came before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.google import CloudError
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.drift import live_inputs
from tpuserve.provider.lifecycle import Found, Inputs, Outputs
from tpuserve.provider.model import aliases as model_aliases
from tpuserve.provider.model import pruning as model_pruning
from tpuserve.provider.model import versions as model_versions
from tpuserve.provider.model.aliases import Asked
from tpuserve.provider.model.versions import SECRETS_SINCE, specification_alias
from tpuserve.provider.ownership import OWNER_LABEL, Identity
from tpuserve.provider.requests import appears, get, patiently, seen, vanishes
from tpuserve.provider.values import Path
from tpuserve.provider.vertex import VertexLifecycle
from tpuserve.provider.waiting import finish, finish_running, location_of
from tpuserve.resources.diff import Change
from tpuserve.resources.fields import Effect
from tpuserve.resources.model import DEFINITION, RETAINED_VERSIONS

ALIASES = ("versionAliases", "givenAliases")
NO_VERSION = {"versionId": "", "versionName": ""}
OF_VERSION = ("versionDescription",)  # UpdateModelRequest.model: the version's; the other texts are the model's


class ModelLifecycle(VertexLifecycle):
    """`tpuserve:vertex:Model`."""

    definition = DEFINITION
    collection = "models"
    getter = "GetModel"

    def place(self, resource_id: str) -> Inputs:
        model, _, version = resource_id.partition("@")
        if version:
            raise ResourceError(
                f"{resource_id!r} is a version, and a {DEFINITION.token} is the whole model: import {model}, which "
                "takes its default version. To begin with another one, give that the alias default first; to deploy "
                "one without managing it, use getModelVersion"
            )
        return super().place(resource_id)

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        outputs = super().previewed(inputs, state, changes)
        if changes:
            outputs |= {"updateTime": UNKNOWN}
        if any(change.effect is Effect.NEW_VERSION for change in changes):
            outputs |= dict.fromkeys(("versionId", "versionName", "deployedModels", *ALIASES), UNKNOWN)
        if any(change.steps[0] == "versionAliases" for change in changes):
            outputs |= dict.fromkeys(ALIASES, UNKNOWN)
        return outputs

    def level(self, old: Inputs, state: Outputs, new: Inputs) -> tuple[Inputs, Inputs]:
        return model_versions.remembered(old, state, new), new

    def refused(self, old: Inputs, state: Outputs, new: Inputs) -> Iterable[Fault]:
        return model_versions.untold(state, new)

    async def more_changes(self, call: Call, old: Inputs, state: Outputs, new: Inputs) -> list[Change]:
        gone = [Change(("versionId",), Effect.NEW_VERSION, "", UNKNOWN)]
        return gone if state.get("versionId") == "" else []

    async def create(self, call: Call, inputs: Inputs) -> None:
        identity, name = call.identity(), self.resource_id(inputs)
        live = await get(call, "GetModel", name)
        if live is not None:
            self.ours_or_error(live, identity, name, call)
        await finish_running(call, name)
        await self._ensure(call, inputs, identity, name, {})

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        identity, name = call.identity(state.get("origin")), self.resource_id(inputs)
        live = await self.present_or_refused(call, name, state)
        if not model_versions.is_served(state, inputs):
            # Should the rest fail, the state must not say that the version it had is made of the new inputs.
            call.draft.outputs |= NO_VERSION
        await finish_running(call, name)
        if live is not None and (current := state.get("versionId")):
            retain = inputs.get("retainVersions", RETAINED_VERSIONS)
            await model_pruning.prune(call, name, current, specification_alias(inputs, call.secrets), retain)
        await self._ensure(call, inputs, identity, name, state)

    async def _ensure(self, call: Call, inputs: Inputs, identity: Identity, name: str, state: Outputs) -> None:
        async def ours() -> dict[str, Any] | None:
            return await self._still_ours(call, identity, name, state)

        version = await model_versions.existing(call, inputs, name, state)
        if version is not None and not state:
            await ours()
        mark = specification_alias(inputs, call.secrets)
        since = model_versions.secrets_since(call, inputs, state, "")
        asked = Asked(mark, inputs.get("versionAliases", []), model_aliases.given(state))
        if version is None:
            version = await model_versions.upload(
                call, name, mark, lambda: self._upload_once(call, inputs, identity, name, ours), ours
            )
            since = model_versions.secrets_since(call, inputs, state, version["versionId"])
        call.draft.id, call.draft.outputs = name, _outputs(version, identity, asked.before) | since
        changed = await self._patch(call, inputs, identity, name, version)
        changed |= await model_aliases.bring(call, name, version, asked)
        if changed:
            version = await self._version(call, f"{name}@{version['versionId']}")
        call.draft.outputs = _outputs(version, identity, call.draft.outputs["givenAliases"]) | since

    async def _still_ours(self, call: Call, identity: Identity, name: str, state: Outputs) -> dict[str, Any] | None:
        """The model, if there is one by now; an error where another hand made it since it was looked at first."""
        live = await self.present_or_refused(call, name, state)
        if live is not None and not state and (identity.owner or self.labels_of(live).get(OWNER_LABEL)):
            try:
                self.ours_or_error(live, identity, name, call)
            except ResourceError:
                call.draft.id = ""
                raise
        return live

    async def _version(self, call: Call, name: str) -> dict[str, Any]:
        found = await seen(call, lambda: get(call, "GetModel", name))
        if found is None:
            raise ResourceError(f"{name} was uploaded and is not there now: something deleted it meanwhile")
        return found

    async def _upload_once(
        self, call: Call, inputs: Inputs, identity: Identity, name: str, ours: model_versions.Look
    ) -> dict[str, Any]:
        live = await ours()
        body = self.body(inputs, identity)
        body["versionAliases"] = [specification_alias(inputs, call.secrets)]
        request: dict[str, Any] = {"parent": self.parent(inputs), "model": body}
        if live is None:
            request["modelId"] = inputs["modelId"]
        else:
            request["parentModel"] = name
            # Labels of a later upload would be that version's own, and hide those of the model.
            body.pop("labels")
        call.draft.id = name
        call.draft.outputs = call.draft.outputs or {"origin": identity.origin}
        operation = await call.cloud("UploadModel", request, inputs["location"])
        # Of a later version the alias may be an earlier one's: only the operation tells it from that.
        there = appears(call, "GetModel", name) if live is None else None
        answer = await finish(call, operation, lambda _: "uploading the model", there)
        version = answer.get("modelVersionId") or specification_alias(inputs, call.secrets)
        return await self._version(call, f"{name}@{version}")

    async def _patch(
        self, call: Call, inputs: Inputs, identity: Identity, name: str, version: Mapping[str, Any]
    ) -> bool:
        """Texts and labels as they should be; whether that took a call. Google refuses a mixed request."""
        body, own = self.body(inputs, identity), f"{name}@{version['versionId']}"
        stale = self.stale(body, version)
        await self._send(call, name, body, [field for field in stale if field not in OF_VERSION])
        await self._send(call, own, body, [field for field in stale if field in OF_VERSION])
        if "labels" in stale and "labels" in self.stale(body, await self._version(call, own)):
            # What the version carries of its own hides the model's: UpdateModelRequest.model, "merged".
            await self._send(call, own, {"labels": {}}, ["labels"])
        return bool(stale)

    async def _send(self, call: Call, name: str, body: Mapping[str, Any], mask: list[str]) -> None:
        if mask:
            model = {field: body[field] for field in mask if field in body} | {"name": name}
            await call.cloud("UpdateModel", {"model": model, "updateMask": ",".join(mask)}, location_of(name))

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        place, identity = self.place(resource_id), call.identity(state.get("origin"))
        live = await self.present(call, resource_id, state)
        if live is None:
            return None
        place = place if inputs else await self.spelled_as_configured(call, place, live)
        if version := state.get("versionId"):
            described = await get(call, "GetModel", f"{resource_id}@{version}")
            if described is not None:
                since = {key: state[key] for key in (SECRETS_SINCE,) if key in state}
                outputs = _outputs(described, identity, model_aliases.given(state)) | since
                return _found(described, inputs, place, outputs)
        given = model_aliases.given(state) if inputs else model_aliases.taken_over(live)
        outputs = _outputs(live, identity, given)
        if inputs:  # the model is there, the version that the state speaks of is not
            outputs |= NO_VERSION
        return _found(live, inputs, place, outputs)

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        if await self.goes_on(call, resource_id, state, held):
            return
        await finish_running(call, resource_id)
        if await self.present(call, resource_id, state) is None:
            return

        async def send() -> None:
            operation = await call.cloud("DeleteModel", {"name": resource_id}, location_of(resource_id))
            gone = vanishes(call, "GetModel", resource_id)
            await finish(call, operation, lambda _: "deleting the model", gone)

        try:
            await patiently(call, send)
        except CloudError as error:
            where = await _deployed_at(call, resource_id) if error.code == "FAILED_PRECONDITION" else []
            if not where:
                raise
            raise ResourceError(
                f"{resource_id} is not deleted, because it is deployed: {', '.join(where)}. Take it out of the "
                "Deployment that serves it there, of this stack or another, or undeploy it by hand; then run this again"
            ) from None


async def _deployed_at(call: Call, name: str) -> list[str]:
    """Where a model is deployed, for people; nothing where that may not be read."""
    try:
        versions = await model_versions.listed(call, name, location_of(name))
    except CloudError:
        return []
    return [
        f"{found['endpoint']} (deployed model {found['deployedModelId']}, version {version['versionId']})"
        for version in versions
        for found in version.get("deployedModels", [])
    ]


def _found(live: Mapping[str, Any], inputs: Inputs, place: Inputs, outputs: Outputs) -> Found:
    found = live_inputs(DEFINITION.shape, live, inputs)
    if inputs:
        if "versionAliases" in found:
            found["versionAliases"] = [a for a in found["versionAliases"] if a in live.get("versionAliases", [])]
        return Found(place | found, outputs)
    if aliases := list(model_aliases.taken_over(live)):
        found["versionAliases"] = aliases
    return Found(place | found, outputs, _environment(found))


def _environment(inputs: Inputs) -> frozenset[Path]:
    """Where the values of environment variables stand: an import cannot know which of them are secret."""
    variables = inputs.get("containerSpec", {}).get("env", [])
    return frozenset(("containerSpec", "env", index, "value") for index in range(len(variables)))


def _outputs(live: Mapping[str, Any], identity: Identity, given: Mapping[str, str]) -> Outputs:
    name = live["name"].split("@")[0]
    version = live.get("versionId", "")
    return {
        "name": name,
        "versionId": version,
        "versionName": f"{name}@{version}",
        "versionAliases": sorted(live.get("versionAliases", [])),
        "createTime": live.get("createTime", ""),
        "updateTime": live.get("updateTime", ""),
        "deployedModels": [_reference(found) for found in live.get("deployedModels", [])],
        "givenAliases": dict(given),
        "origin": identity.origin,
    }


def _reference(found: Mapping[str, Any]) -> dict[str, str]:
    return {"endpoint": found.get("endpoint", ""), "deployedModelId": found.get("deployedModelId", "")}
