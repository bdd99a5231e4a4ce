"""The lifecycle of a model: versions addressed by what they are made of, so that no upload is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call
from tpuserve.provider.drift import live_inputs
from tpuserve.provider.lifecycle import Found, Inputs, Outputs
from tpuserve.provider.ownership import Identity, digest
from tpuserve.provider.requests import get, patiently
from tpuserve.provider.values import at, redacted
from tpuserve.provider.vertex import VertexLifecycle
from tpuserve.provider.waiting import finish, finish_running, location_of
from tpuserve.resources.diff import Change, with_effect
from tpuserve.resources.fields import Effect
from tpuserve.resources.model import DEFINITION

NO_VERSION = {"versionId": "", "versionName": ""}
TRIES = 3  # uploads without an answer; before each the registry is looked at


class ModelLifecycle(VertexLifecycle):
    """`tpuserve:vertex:Model`."""

    definition = DEFINITION
    collection = "models"
    getter = "GetModel"

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        outputs = super().previewed(inputs, state, changes)
        if any(change.effect is Effect.NEW_VERSION for change in changes):
            outputs |= {"versionId": UNKNOWN, "versionName": UNKNOWN}
        return outputs

    async def more_changes(self, call: Call, old: Inputs, state: Outputs, new: Inputs) -> list[Change]:
        gone = [Change(("versionId",), Effect.NEW_VERSION, "", UNKNOWN)]
        return gone if state.get("versionId") == "" else []

    async def create(self, call: Call, inputs: Inputs) -> None:
        identity, name = call.identity(), self.resource_id(inputs)
        live = await get(call, "GetModel", name)
        if live is not None:
            self.ours_or_error(live, identity, name, call)
        await self._ensure(call, inputs, identity, name, {})

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        identity, name = call.identity(state.get("origin")), self.resource_id(inputs)
        await self.present_or_refused(call, name, state)
        if _served(state) != _served(inputs):
            # Should the rest fail, the state must not say that the version it had is made of the new inputs.
            call.draft.outputs |= NO_VERSION
        await self._ensure(call, inputs, identity, name, state)

    async def _ensure(self, call: Call, inputs: Inputs, identity: Identity, name: str, state: Outputs) -> None:
        await finish_running(call, name)
        version = await self._existing(call, inputs, name, state)
        if version is None:
            version = await self._upload(call, inputs, identity, name)
        call.draft.id, call.draft.outputs = name, _outputs(version, identity)
        await self._patch(call, inputs, identity, name, version)

    async def _existing(self, call: Call, inputs: Inputs, name: str, state: Outputs) -> dict[str, Any] | None:
        """The version that is made of the inputs, if there is one: the state's own, or the one with the alias."""
        if state.get("versionId") and _served(state) == _served(inputs):
            found = await get(call, "GetModel", f"{name}@{state['versionId']}")
            if found is not None:
                return found
        if _secret_may_differ(call, inputs, state):
            return None
        alias = specification_alias(call, inputs)
        return await get(call, "GetModel", f"{name}@{alias}") or await self._same_version(call, inputs, name, state)

    async def _same_version(self, call: Call, inputs: Inputs, name: str, state: Outputs) -> dict[str, Any] | None:
        """The version in the state, made by others and equal where it can be read: it gets the alias in place."""
        if not state.get("versionId"):
            return None
        live = await get(call, "GetModel", f"{name}@{state['versionId']}")
        wanted = _served(inputs)
        if live is None or inputs.get("contentVersion") or _served(live_inputs(DEFINITION.shape, live, {})) != wanted:
            return None
        return live

    async def _upload(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> dict[str, Any]:
        alias = f"{name}@{specification_alias(call, inputs)}"
        before = (await get(call, "GetModel", alias) or {}).get("versionId")
        for last in [False] * (TRIES - 1) + [True]:
            try:
                return await self._upload_once(call, inputs, identity, name)
            except CloudError as error:
                if errors.is_refusal(error) and error.code != "ALREADY_EXISTS":
                    exists = await get(call, "GetModel", name)
                    call.draft.id = call.draft.id if exists else ""
                    raise
                if last:
                    raise
            await call.pause(0.5)
            await finish_running(call, name)
            found = await get(call, "GetModel", alias)
            if found is not None and found.get("versionId") != before:
                return found
        raise AssertionError("the last try returns or raises")

    async def _upload_once(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> dict[str, Any]:
        live = await get(call, "GetModel", name)
        body = self.body(inputs, identity)
        body["versionAliases"] = [specification_alias(call, inputs)]
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
        answer = await finish(call, operation, lambda _: "uploading the model")
        version = answer.get("modelVersionId") or specification_alias(call, inputs)
        return await call.cloud("GetModel", {"name": f"{name}@{version}"}, inputs["location"])

    async def _patch(
        self, call: Call, inputs: Inputs, identity: Identity, name: str, version: Mapping[str, Any]
    ) -> None:
        """What changes in place: texts and labels by update, aliases by merging."""
        body = self.body(inputs, identity)
        if stale := self.stale(body, version):
            model = {field: body[field] for field in stale if field in body}
            # Texts and labels are the model's, not one version's: Google refuses a mixed request.
            model["name"] = name
            await call.cloud("UpdateModel", {"model": model, "updateMask": ",".join(stale)}, inputs["location"])
        wanted = [specification_alias(call, inputs), *inputs.get("versionAliases", [])]
        missing = [alias for alias in wanted if alias not in version.get("versionAliases", [])]
        if missing:
            request = {"name": f"{name}@{version['versionId']}", "versionAliases": missing}
            await call.cloud("MergeVersionAliases", request, inputs["location"])

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        place, identity = self.place(resource_id), call.identity(state.get("origin"))
        live = await self.present(call, resource_id, state)
        if live is None:
            return None
        place = place if inputs else await self.spelled_as_configured(call, place, live)
        if version := state.get("versionId"):
            served = await get(call, "GetModel", f"{resource_id}@{version}")
            if served is not None:
                return Found(_live_inputs(served, inputs, place), _outputs(served, identity))
        outputs = _outputs(live, identity)
        if inputs:  # the model is there, the version that the state speaks of is not
            outputs |= NO_VERSION
        return Found(_live_inputs(live, inputs, place), outputs)

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        if held & self.listed(resource_id, state):
            await call.say(f"{resource_id} goes on: the current entry of this resource holds it", False)
            return
        await finish_running(call, resource_id)
        if await self.present(call, resource_id, state) is None:
            return

        async def send() -> None:
            operation = await call.cloud("DeleteModel", {"name": resource_id}, location_of(resource_id))
            await finish(call, operation, lambda _: "deleting the model")

        await patiently(call, send)


def _served(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What a version is made of."""
    return with_effect(DEFINITION.shape, inputs, Effect.NEW_VERSION)


def specification_alias(call: Call, inputs: Mapping[str, Any]) -> str:
    """`c-<hash>`: the same for the same version, whoever uploads it and when; no secret enters it."""
    return f"c-{digest(_served(redacted(inputs, call.secrets)), length=20)}"


def _secret_may_differ(call: Call, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Whether the version with the alias may hold another secret: the alias cannot tell, the state can."""
    served = [path for path in call.secrets if at(_served(inputs), path) is not None]
    lost = state.get("versionId") == ""
    return bool(state) and any(lost or at(inputs, path) != at(state, path) for path in served)


def _live_inputs(live: Mapping[str, Any], inputs: Inputs, place: Inputs) -> Inputs:
    found = live_inputs(DEFINITION.shape, live, inputs)
    if "versionAliases" in found:
        found["versionAliases"] = [a for a in found["versionAliases"] if a in live.get("versionAliases", [])]
    return place | found


def _outputs(live: Mapping[str, Any], identity: Identity) -> Outputs:
    name = live["name"].split("@")[0]
    version = live.get("versionId", "")
    return {
        "name": name,
        "versionId": version,
        "versionName": f"{name}@{version}",
        "createTime": live.get("createTime", ""),
        "origin": identity.origin,
    }
