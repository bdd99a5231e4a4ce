"""Pulumi's provider protocol: requests of the engine in, one lifecycle called, answers and partial states out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc.aio
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tpuserve.google import Google, Patience
from tpuserve.provider import config, functions, timeouts
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.deployment.lifecycle import DeploymentLifecycle
from tpuserve.provider.endpoint.lifecycle import EndpointLifecycle
from tpuserve.provider.engine import Engine
from tpuserve.provider.lifecycle import Lifecycle, replaces
from tpuserve.provider.memory import Memory
from tpuserve.provider.model.lifecycle import ModelLifecycle
from tpuserve.provider.ownership import SET_OWNER
from tpuserve.provider.queued_resource.lifecycle import QueuedResourceLifecycle
from tpuserve.provider.reporting import Context, Reporter, abort_with, reports_bugs
from tpuserve.provider.state_version import Entry, StateVersionError, migrated, versioned
from tpuserve.provider.values import Path, Properties, encode
from tpuserve.resources.diff import Change, changes
from tpuserve.resources.same import canonical, learned

LIFECYCLES: dict[str, Lifecycle] = {
    lifecycle.definition.token: lifecycle
    for lifecycle in (QueuedResourceLifecycle(), ModelLifecycle(), EndpointLifecycle(), DeploymentLifecycle())
}
VERSION = "0.1.0"
# Grants of the same program may not be seen yet; a preview or a refresh is not held up by a permission that is missing.
CHANGING = Patience(grants=30.0)


@reports_bugs
@dataclass
class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """The servicer; one for each plugin process."""

    engine: Engine
    memory: Memory = field(default_factory=Memory)
    google: Google = field(default_factory=Google)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    checker: Checker = field(default_factory=lambda: Checker(config.ProviderConfig()))
    numbers: dict[str, str] = field(default_factory=dict)
    reporter: Reporter = field(default_factory=Reporter)

    # --- the plugin ---------------------------------------------------------------------------------------------

    async def Handshake(self, request: Any, context: Context) -> Any:  # noqa: N802
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=True, accept_resources=False, accept_outputs=False, supports_autonaming_configuration=True
        )

    async def GetPluginInfo(self, request: Any, context: Context) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version=VERSION)

    async def GetSchema(self, request: Any, context: Context) -> Any:  # noqa: N802
        from tpuserve.resources.schema import schema  # noqa: PLC0415 - reads sources; only when asked for

        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema(VERSION)))

    async def GetMapping(self, request: Any, context: Context) -> Any:  # noqa: N802
        return provider_pb2.GetMappingResponse()

    async def GetMappings(self, request: Any, context: Context) -> Any:  # noqa: N802
        return provider_pb2.GetMappingsResponse()

    async def Attach(self, request: Any, context: Context) -> Any:  # noqa: N802
        await self.engine.attach(request.address)
        return empty_pb2.Empty()

    async def Cancel(self, request: Any, context: Context) -> Any:  # noqa: N802
        self.cancelled.set()
        return empty_pb2.Empty()

    async def Invoke(self, request: Any, context: Context) -> Any:  # noqa: N802
        call, given = self._call(request.tok, "invoke", 0), self.reporter.read(request.args).values
        try:
            result, faults = await functions.answer(call, self.checker, request.tok, given)
        except Exception as error:
            await self._abort(context, call, error)
        return provider_pb2.InvokeResponse(**{"return": encode(result)}, failures=self.reporter.joined(faults))

    # --- configuration ------------------------------------------------------------------------------------------

    async def CheckConfig(self, request: Any, context: Context) -> Any:  # noqa: N802
        given = config.with_secrets(self.reporter.read(request.news))
        self.reporter.learn(given.hidden())
        failures = [self.reporter.failure(fault, given.values) for fault in config.faults(given.values)]
        return provider_pb2.CheckResponse(inputs=encode(given.values, given.secrets), failures=failures)

    async def DiffConfig(self, request: Any, context: Context) -> Any:  # noqa: N802
        """Never a replacement: project and location are in each resource's inputs."""
        old, new = self.reporter.read(request.olds).values, self.reporter.read(request.news).values
        some = old != new
        kind = provider_pb2.DiffResponse.DIFF_SOME if some else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=kind)

    async def Configure(self, request: Any, context: Context) -> Any:  # noqa: N802
        settings = config.parse(self.reporter.read(request.args).values)
        self.reporter.learn(settings.access.secrets())
        self.google = Google(settings.endpoints, settings.access)
        self.checker = Checker(settings, self.numbers)
        if not settings.owner_id:
            await self.engine.warn(f"no owner id: {SET_OWNER}, and a killed run can leave what no state knows")
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True,
            supportsPreview=True,
            acceptResources=False,
            acceptOutputs=False,
            supports_autonaming_configuration=True,
        )

    # --- resources ----------------------------------------------------------------------------------------------

    async def Check(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        self.memory.checked(request.urn)
        new = self.reporter.read(request.news)
        try:
            entry = self._entry(lifecycle, request.olds, request.old_outputs)
        except StateVersionError as error:
            return provider_pb2.CheckResponse(failures=[provider_pb2.CheckFailure(reason=str(error))])
        old = entry.inputs
        if old.values and entry.outputs.values:
            self._learn(lifecycle.resource_id(old.values), entry.outputs.values)
        mode = provider_pb2.CheckRequest.AutonamingOptions.Mode.Name(request.autonaming.mode)
        naming = Autonaming(request.autonaming.proposed_name, mode if request.HasField("autonaming") else "PROPOSE")
        inputs, faults = self.checker.check(
            lifecycle.definition, request.urn, old.values, new.values, naming, secrets=new.secrets
        )
        if old.values:
            shape, state = lifecycle.definition.shape, entry.outputs.values
            before, after = (canonical(shape, given, self.numbers) for given in (old.values, inputs))
            faults += lifecycle.refused(before, state, after)
        failures = [self.reporter.failure(fault, inputs) for fault in faults]
        return provider_pb2.CheckResponse(inputs=encode(inputs, new.secrets), failures=failures)

    async def Diff(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        call, new = self._call(request.urn, "diff", 0), self.reporter.read(request.news)
        try:
            entry = self._entry(lifecycle, request.old_inputs, request.olds)
            old, state = entry.inputs, entry.outputs
            self._learn(request.id, state.values)
            if old.values:
                self._learn(lifecycle.resource_id(old.values), state.values)
            found = await self._changes(lifecycle, call, old.values, state.values, new.values)
        except Exception as error:
            await self._abort(context, call, error)
        if self.memory.was_checked(request.urn):
            if replaces(found):
                self.memory.forget(request.urn)
            else:
                self.memory.holds(request.urn, lifecycle.listed(request.id, state.values))
        if note := lifecycle.note(found, old.values, new.values):
            await call.status(note)
        if warning := lifecycle.warning(state.values, old.values, new.values, replaces(found)):
            await call.say(warning, False)
        first = replaces(found) and _collides(lifecycle, old.values, new.values)
        return _diff_response(lifecycle.rows(found), first)

    async def _changes(
        self, lifecycle: Lifecycle, call: Call, old: dict[str, Any], state: dict[str, Any], new: dict[str, Any]
    ) -> list[Change]:
        shape = lifecycle.definition.shape
        before, after = canonical(shape, old, self.numbers), canonical(shape, new, self.numbers)
        before, after = lifecycle.level(before, state, after)
        return [*changes(shape, before, after), *await lifecycle.more_changes(call, old, state, new)]

    async def Create(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        given = self.reporter.read(request.properties)
        if request.preview:
            outputs = lifecycle.previewed(given.values, None, [])
            return provider_pb2.CreateResponse(properties=encode(versioned(given.values | outputs), given.secrets))
        call = self._call(request.urn, "create", request.timeout, lifecycle, given)
        try:
            await lifecycle.create(call, given.values)
        except Exception as error:
            if call.draft.id:
                self.memory.failed(request.urn)
            await self._fail(context, lifecycle, call, given, error)
        self._hold(lifecycle, call)
        return provider_pb2.CreateResponse(
            id=call.draft.id,
            properties=self._recorded(given.values, call.draft.outputs, given.secrets),
            refresh_before_update=self._refreshes(lifecycle),
        )

    async def Update(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        new = self.reporter.read(request.news)
        call = self._call(request.urn, "update", request.timeout, lifecycle, new)
        try:
            entry = self._entry(lifecycle, request.old_inputs, request.olds)
            old, state = entry.inputs, entry.outputs
            values = old.values, state.values, new.values
            found = await self._changes(lifecycle, call, *values) if request.preview else []
        except Exception as error:
            await self._abort(context, call, error)
        if request.preview:
            outputs = lifecycle.previewed(new.values, state.values, found)
            return provider_pb2.UpdateResponse(properties=encode(versioned(new.values | outputs), new.secrets))
        names = [argument.wire for argument in lifecycle.definition.output_shape.arguments]
        call.draft.id = request.id
        call.draft.outputs = {name: state.values[name] for name in names if name in state.values}
        try:
            await lifecycle.update(call, state.values, new.values)
        except Exception as error:
            call.draft.id = request.id
            await self._fail(context, lifecycle, call, new, error)
        self._hold(lifecycle, call)
        return provider_pb2.UpdateResponse(
            properties=self._recorded(new.values, call.draft.outputs, new.secrets),
            refresh_before_update=self._refreshes(lifecycle),
        )

    async def Read(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        call = self._call(request.urn, "read", 0, lifecycle)
        try:
            entry = self._entry(lifecycle, request.inputs, request.properties)
            state, given = entry.outputs, entry.inputs
            found = await lifecycle.read(call, request.id, state.values, given.values)
        except Exception as error:
            await self._abort(context, call, error)
        if found is None:
            return provider_pb2.ReadResponse()
        self._learn(request.id, found.outputs)
        secrets = given.secrets | state.secrets | found.secrets
        return provider_pb2.ReadResponse(
            id=request.id,
            inputs=encode(found.inputs, secrets),
            properties=self._recorded(found.inputs, found.outputs, secrets),
            refresh_before_update=self._refreshes(lifecycle),
        )

    async def Delete(self, request: Any, context: Context) -> Any:  # noqa: N802
        lifecycle = await _lifecycle(request.urn, context)
        call = self._call(request.urn, "delete", request.timeout, lifecycle)
        held = self.memory.held()
        try:
            if self.memory.has_failed(request.urn):
                raise ResourceError(f"{request.id} goes on: what was to replace it failed in this run")
            entry = self._entry(lifecycle, request.old_inputs, request.properties)
            await lifecycle.delete(call, request.id, entry.outputs.values, held)
        except Exception as error:
            await self._abort(context, call, error)
        return empty_pb2.Empty()

    # --- what they share ----------------------------------------------------------------------------------------

    def _call(
        self,
        urn: str,
        verb: str,
        timeout: float,
        lifecycle: Lifecycle | None = None,
        given: Properties | None = None,
    ) -> Call:
        async def say(line: str, ephemeral: bool) -> None:
            await self.engine.log(self.reporter.shown(line), urn, ephemeral=ephemeral)

        limit = timeouts.seconds(lifecycle.definition.token if lifecycle else "", verb, timeout)
        secrets = frozenset(given.secrets if given else ())
        call = Call(urn, self.checker.config, self.google, say, self.cancelled, limit, secrets)
        call.patience = CHANGING if verb in ("create", "update", "delete") else call.patience
        return call

    def _recorded(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any], secrets: Iterable[Path]) -> Any:
        """What the state is to keep: no secret in Google's words, and the version of its form."""
        return encode(versioned({**inputs, **self.reporter.cleaned(outputs)}), secrets)

    def _entry(self, lifecycle: Lifecycle, inputs: Any, outputs: Any) -> Entry:
        """What a request says of the state, as this version writes it. Raises StateVersionError."""
        found = Entry(self.reporter.read(inputs), self.reporter.read(outputs))
        return migrated(lifecycle.definition.token, found)

    def _refreshes(self, lifecycle: Lifecycle) -> bool:
        return lifecycle.definition.refresh_before_update and self.checker.config.refresh_before_update

    def _hold(self, lifecycle: Lifecycle, call: Call) -> None:
        self.memory.holds(call.urn, lifecycle.listed(call.draft.id, call.draft.outputs))

    def _learn(self, resource_id: str, outputs: Mapping[str, Any]) -> None:
        """Google's answer to this id names the project by its number."""
        for answer in (outputs.get("name"), outputs.get("endpointName")):
            if isinstance(answer, str):
                self.numbers.update(learned(resource_id, answer))

    async def _fail(
        self, context: Context, lifecycle: Lifecycle, call: Call, given: Properties, error: Exception
    ) -> NoReturn:
        """End with a partial state, where the object may exist: nothing exists that the state does not know."""
        message = self.reporter.message(error, call)
        if not call.draft.id:
            await context.abort(grpc.StatusCode.UNKNOWN, message)
        self._hold(lifecycle, call)
        partial = provider_pb2.ErrorResourceInitFailed(
            id=call.draft.id,
            properties=self._recorded(given.values, call.draft.outputs, given.secrets),
            reasons=[message],
            inputs=encode(given.values, given.secrets),
            refresh_before_update=self._refreshes(lifecycle),
        )
        await abort_with(context, message, partial)

    async def _abort(self, context: Context, call: Call, error: Exception) -> NoReturn:
        await context.abort(grpc.StatusCode.UNKNOWN, self.reporter.message(error, call))


async def _lifecycle(urn: str, context: Context) -> Lifecycle:
    token = urn.split("::")[2].rsplit("$", 1)[-1]
    if token not in LIFECYCLES:
        known = ", ".join(LIFECYCLES)
        await context.abort(grpc.StatusCode.NOT_FOUND, f"{token} is not a resource of tpuserve; it has {known}")
    return LIFECYCLES[token]


def _collides(lifecycle: Lifecycle, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether the new object needs a name that the old one has."""
    return bool(lifecycle.fixed_names(old) & lifecycle.fixed_names(new))


KINDS = {
    ("add", True): "ADD_REPLACE",
    ("delete", True): "DELETE_REPLACE",
    ("update", True): "UPDATE_REPLACE",
    ("add", False): "ADD",
    ("delete", False): "DELETE",
    ("update", False): "UPDATE",
}


def _diff_response(found: list[Change], delete_first: bool) -> Any:
    replace = {change.path: replaces([change]) for change in found}
    detailed = {
        change.path: provider_pb2.PropertyDiff(
            kind=provider_pb2.PropertyDiff.Kind.Value(KINDS[change.kind, replace[change.path]]),
            inputDiff=change.steps[0] not in ("state", "retiring", "versionId"),
        )
        for change in found
    }
    kind = provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=kind,
        replaces=[path for path, anew in replace.items() if anew],
        diffs=sorted({str(change.steps[0]) for change in found}),
        detailedDiff=detailed,
        hasDetailedDiff=True,
        deleteBeforeReplace=delete_first,
    )
