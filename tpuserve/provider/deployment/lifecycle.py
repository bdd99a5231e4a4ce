"""The lifecycle of a Deployment: everything that one endpoint serves, changed in an order that drops no request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.catalog.faults import Fault
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.deployment import preview as deployment_preview
from tpuserve.provider.deployment import rollout
from tpuserve.provider.deployment import steps as deployment_steps
from tpuserve.provider.deployment.deployed_model import Wanted, project_of
from tpuserve.provider.endpoint import calls as endpoint_calls
from tpuserve.provider.endpoint import view as endpoint_view
from tpuserve.provider.endpoint.calls import update_endpoint
from tpuserve.provider.endpoint.view import View, listed_ids, recorded_ids
from tpuserve.provider.lifecycle import Found, Inputs, Lifecycle, Outputs
from tpuserve.provider.ownership import CLAIM_LABEL, SET_OWNER, Identity, is_claim_of
from tpuserve.provider.requests import get, with_fresh_etag
from tpuserve.provider.waiting import finish_running
from tpuserve.resources.deployment import DEFINITION
from tpuserve.resources.diff import Change
from tpuserve.resources.fields import Effect
from tpuserve.resources.names import check_name
from tpuserve.resources.same import canonical_name, learned, path_of


class DeploymentLifecycle(Lifecycle):
    """`tpuserve:vertex:Deployment`."""

    definition = DEFINITION

    def resource_id(self, inputs: Inputs) -> str:
        return path_of(inputs["endpoint"])

    def fixed_names(self, inputs: Inputs) -> set[str]:
        """None: another Deployment of the same endpoint is the same one, and adopts what runs."""
        return set()

    def listed(self, resource_id: str, outputs: Mapping[str, Any]) -> set[str]:
        endpoint = outputs.get("endpointName") or path_of(resource_id)
        return {claim_of(endpoint)} | {f"{endpoint}/deployedModels/{key}" for key in listed_ids(outputs)}

    async def more_changes(self, call: Call, old: Inputs, state: Outputs, new: Inputs) -> list[Change]:
        found = []
        if state.get("retiring"):
            found.append(Change(("retiring",), Effect.IN_PLACE, state["retiring"], []))
        status, variants = state.get("deployedModelStatus") or {}, new.get("deployedModels")
        for name, variant in variants.items() if isinstance(variants, Mapping) else ():
            change = await self._alias_change(call, name, variant, status.get(name))
            found += [change] if change else []
        return found

    async def _alias_change(self, call: Call, name: str, variant: Any, status: Any) -> Change | None:
        """A moved alias is a change, although the input reads as before."""
        model = variant.get("model") if isinstance(variant, Mapping) else None
        if not isinstance(model, str) or model.rpartition("@")[2].isdecimal() or not isinstance(status, Mapping):
            return None
        live = status.get("modelVersionId")
        found = await get(call, "GetModel", path_of(model))
        if found is None or found.get("versionId") == live:
            return None
        before, after = f"version {live}", f"version {found.get('versionId')}"
        return Change(("deployedModels", name, "model"), Effect.REDEPLOY, before, after)

    def level(self, old: Inputs, state: Outputs, new: Inputs) -> tuple[Inputs, Inputs]:
        return deployment_steps.level(old, state, new)

    def refused(self, old: Inputs, state: Outputs, new: Inputs) -> Iterable[Fault]:
        return deployment_steps.refused(old, state, new)

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        if state is None:
            return super().previewed(inputs, state, changes)
        shown = deployment_preview.status(changes, state, inputs)
        return {**super().previewed(inputs, state, changes), "deployedModelStatus": shown, "retiring": []}

    def rows(self, changes: list[Change]) -> list[Change]:
        return deployment_preview.rows(changes)

    def note(self, changes: list[Change], old: Inputs, new: Inputs) -> str:
        return deployment_preview.note(changes, old, new)

    async def create(self, call: Call, inputs: Inputs) -> None:
        await self._converge(call, {}, inputs, call.identity())

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        await self._converge(call, state, inputs, call.identity(state.get("origin")))

    async def _converge(self, call: Call, state: Outputs, inputs: Inputs, identity: Identity) -> None:
        endpoint = self.resource_id(inputs)
        await finish_running(call, endpoint)
        view = await endpoint_or_error(call, endpoint)
        variants = {} if inputs.get("paused") else inputs["deployedModels"]
        numbers = learned(endpoint, view.name)
        wanted = {name: await _wanted(call, name, variant, numbers) for name, variant in variants.items()}
        call.draft.id = endpoint
        call.draft.outputs = call.draft.outputs or {"endpointName": view.name, "origin": identity.origin}
        try:
            await claim(call, view, identity)
        except ResourceError:
            call.draft.id = ""
            raise
        known = endpoint_view.less_anothers(state, view, identity)
        await rollout.Rollout(call, view.name, inputs, known, identity, wanted).run()

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        if message := check_name("endpoints", resource_id):
            raise ResourceError(f"the id of a Deployment is its endpoint's: {message}")
        found = await get(call, "GetEndpoint", path_of(resource_id))
        if found is None:
            return None
        view, identity = View(found), call.identity(state.get("origin"))
        state = endpoint_view.less_anothers(state, view, identity)
        if inputs:
            given = endpoint_view.inputs(view, state, inputs, resource_id)
            ids = {name: key for name, key in endpoint_view.recorded_ids(state).items() if key in view.by_id()}
        else:
            given, ids = endpoint_view.imported(view, resource_id, identity)
        return Found(given, endpoint_view.outputs(view, ids, listed_ids(state), identity))

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        endpoint = path_of(resource_id)
        await finish_running(call, endpoint)
        found = await get(call, "GetEndpoint", endpoint)
        if found is None:
            return
        view, identity = View(found), call.identity(state.get("origin"))
        state = endpoint_view.less_anothers(state, view, identity)
        listed = self.listed(resource_id, state) - held
        doomed = {item.id for item in view.live if f"{view.name}/deployedModels/{item.id}" in listed}
        if claim_of(view.name) not in held:
            doomed |= {item.id for item in view.live if item.has_identity(identity.hash[:12])}
        if guarded := protected(state, doomed):
            raise ResourceError(
                f"{view.name} goes on serving: deletionProtection of {', '.join(guarded)} is true; set it to false, "
                "run `pulumi up`, and delete then"
            )
        kept = listed_ids(state) - doomed
        if kept & set(view.by_id()):
            await call.say(f"deployed models {', '.join(sorted(kept))} go on: the current entry holds them", False)
        await endpoint_calls.take_away(call, view, doomed)
        if claim_of(view.name) not in held:
            await release(call, endpoint, identity.claim)


def claim_of(endpoint: str) -> str:
    """The name under which a state entry lists its claim on the endpoint."""
    return f"{endpoint}#{CLAIM_LABEL}"


def protected(state: Mapping[str, Any], doomed: set[str]) -> list[str]:
    """Variants that a state entry protects, and whose deployed models are among `doomed`."""
    variants = state.get("deployedModels") or {}
    return sorted(
        name
        for name, key in recorded_ids(state).items()
        if key in doomed and (variants.get(name) or {}).get("deletionProtection")
    )


async def _wanted(call: Call, name: str, variant: Mapping[str, Any], numbers: Mapping[str, str]) -> Wanted:
    """The variant with its version and, to be told from a like-named one, its model's project as numbers."""
    model, _, version = canonical_name(variant["model"], numbers).partition("@")
    if version.isdecimal() and project_of(model).isdecimal():
        return Wanted(name, variant, model, version)
    found = await get(call, "GetModel", path_of(variant["model"]))
    if found is None:
        raise ResourceError(
            f"deployedModels.{name}.model: {variant['model']} does not exist; give projects/P/locations/L/models/M "
            "with @version or @alias of a model in the endpoint's location"
        )
    return Wanted(name, variant, found["name"].partition("@")[0], found["versionId"])


async def endpoint_or_error(call: Call, endpoint: str) -> View:
    found = await get(call, "GetEndpoint", endpoint)
    if found is None:
        raise ResourceError(f"endpoint: {endpoint} does not exist; create it first, or correct the name")
    return View(found)


async def claim(call: Call, view: View, identity: Identity) -> None:
    """Write our claim into the endpoint's labels, unless it is there or there is no owner; another's is an error."""

    async def attempt() -> None:
        now = (await endpoint_or_error(call, view.name)).data
        labels = now.get("labels", {})
        held = labels.get(CLAIM_LABEL)
        if held not in (None, identity.claim):
            raise ResourceError(
                f"endpoint: {view.name} is served by another Deployment (its label {CLAIM_LABEL} is "
                f"{held}, this one's would be {identity.claim}); an endpoint has one. {_way_out(held, identity)}"
            )
        if identity.owner and not held:
            await update_endpoint(call, now, labels={**labels, CLAIM_LABEL: identity.claim})

    await with_fresh_etag(attempt)


def _way_out(held: str, identity: Identity) -> str:
    """What to do about a claim that is not this Deployment's."""
    if not identity.owner:
        return f"Give this one an endpoint of its own; {SET_OWNER}"
    if not is_claim_of(held, identity.owner):
        return "It is of another owner id: give this one an endpoint of its own, or set that stack's tpuserve:ownerId"
    return (
        "It is of this stack: declare the variants in that one, or give this one an endpoint of its own. If that one "
        "leaves the endpoint in this very run, run once without this one; if it is this one, renamed or imported and "
        "now tainted or replaced by force, `pulumi state untaint` it and run again"
    )


async def release(call: Call, endpoint: str, claim: str) -> None:
    """Take a claim off the endpoint, if it is still there."""

    async def attempt() -> None:
        now = await get(call, "GetEndpoint", endpoint) or {}
        labels = now.get("labels", {})
        if labels.get(CLAIM_LABEL) == claim:
            kept = {key: value for key, value in labels.items() if key != CLAIM_LABEL}
            await update_endpoint(call, now, labels=kept)

    await with_fresh_etag(attempt)
