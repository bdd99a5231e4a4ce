"""What the emulated Google says of a stack: each resource asked for as a client would, by Google's own messages."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from tests.generated.direct import methods_of
from tests.generated.stacks import Args, Case, Declared, Limits, Unit
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, PROJECT, QUEUED_RESOURCE
from tpuserve.emulator import Settings, strict
from tpuserve.emulator.api import Api
from tpuserve.emulator.beside import Asked
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code
from tpuserve.emulator.quota.tables import QUOTAS

WORKLOAD_TYPES = {"AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED"}
OURS = (
    "waitFor",
    "onSuspended",
    "recreate",
    "allowReplace",
    "strategy",
    "deletionProtection",
    "contentVersion",
    "retainVersions",
)
"""Arguments that steer the provider alone and are none of Google's."""
OVER_REST = ("provisioningModel", "runDuration")
"""Arguments of a queued resource that no published message has (discovery document tpu.v2alpha1)."""
MARK = f" [tpuserve {'0' * 12}-{'0' * 12}]"
"""What the plugin adds to the display name of a deployed model."""


@dataclass(frozen=True)
class Refusal:
    """Google's answer to one request."""

    method: str
    code: str
    message: str

    @property
    def is_quota(self) -> bool:
        return self.code == Code.RESOURCE_EXHAUSTED.name


async def asked(case: Case) -> list[Refusal | None]:
    """Of each unit the first refusal, in an emulator of their own with the limits of the case."""
    google = _Google(case.limits)
    try:
        return [await google.unit(unit) for unit in case.units]
    finally:
        await google.core.operations.stop()
        google.core.servers.abandon()


class _Google:
    def __init__(self, limits: Limits | None) -> None:
        quotas = None if limits is None else {name: dict(limits.get(name, {})) for name in QUOTAS}
        self.core = Core(Settings(quotas=quotas, clock="instant"), None, Path(tempfile.gettempdir()))
        self._methods = methods_of(Api(self.core))

    async def unit(self, unit: Unit) -> Refusal | None:
        try:
            for each in unit.resources:
                await _ASK[each.token](self, each)
        except _RefusedError as refused:
            return refused.answer
        return None

    async def call(self, method: str, request: Mapping[str, Any], beside: Asked | None = None) -> Any:
        """The answer, and of an operation its end; `beside` is what REST alone can say."""
        try:
            served = self._methods[method]
            message = json_format.ParseDict(request, served.request())
            strict.checked(message)
            answer = served.answer(message, *([beside] if beside else []))
            answer = await answer if inspect.isawaitable(answer) else answer
            return await self._ended(answer) if answer.DESCRIPTOR.name == "Operation" else answer
        except json_format.ParseError as error:
            raise _RefusedError(Refusal(method, Code.INVALID_ARGUMENT.name, str(error))) from None
        except ApiError as error:
            raise _RefusedError(Refusal(method, error.code.name, error.message)) from None

    async def _ended(self, answer: Any) -> Any:
        ended = await self.core.operations.wait(self.core.operations.found(answer.name), 5)
        assert ended.done, f"{answer.name} does not end"
        if ended.HasField("error"):
            raise ApiError(next(code for code in Code if code.value[0] == ended.error.code), ended.error.message)
        return ended


class _RefusedError(Exception):
    def __init__(self, answer: Refusal) -> None:
        super().__init__(answer)
        self.answer = answer


def _parent(args: Args, place: str) -> str:
    return f"projects/{args.get('project', PROJECT)}/locations/{args[place]}"


def _but(args: Args, *names: str) -> Args:
    return {key: value for key, value in args.items() if key not in (*names, *OURS)}


async def _queued_resource(google: _Google, each: Declared) -> None:
    parent, args = _parent(each.args, "zone"), _but(each.args, "zone", "queuedResourceId")
    specs = [_spelled(spec) | {"parent": parent} for spec in args["tpu"]["nodeSpec"]]
    identifier = each.args.get("queuedResourceId", each.name)
    asked_for = _but(args, *OVER_REST) | {"tpu": {"nodeSpec": specs}}
    rest = {name: args[name] for name in OVER_REST if name in args}
    request = {"parent": parent, "queuedResourceId": identifier, "queuedResource": asked_for}
    beside = Asked("tpu.v2alpha1", "queuedResource", rest) if rest else None
    await google.call("CreateQueuedResource", request, beside)


def _spelled(spec: Args) -> Args:
    """The workload type as the API has it: hyphens are taken as well."""
    many = spec.get("multiNodeParams")
    if many is None or "workloadType" not in many:
        return spec
    word = many["workloadType"].upper().replace("-", "_")
    return spec | {"multiNodeParams": many | {"workloadType": word}}


async def _model(google: _Google, each: Declared) -> None:
    request = {"parent": _parent(each.args, "location"), "modelId": each.args["modelId"]}
    await google.call("UploadModel", request | {"model": _but(each.args, "location", "modelId")})


async def _endpoint(google: _Google, each: Declared) -> None:
    request = {"parent": _parent(each.args, "location"), "endpointId": each.args["endpointId"]}
    await google.call("CreateEndpoint", request | {"endpoint": _but(each.args, "location", "endpointId")})


async def _deployment(google: _Google, each: Declared) -> None:
    """Each variant under an id of its own, and then the split by these ids."""
    endpoint, variants = each.args["endpoint"], each.args["deployedModels"]
    ids = {name: str(index) for index, name in enumerate(sorted(variants), 1)}
    for name, number in ids.items():
        variant = variants[name]
        own = {"id": number, "displayName": variant.get("displayName", name) + MARK}
        await google.call("DeployModel", {"endpoint": endpoint, "deployedModel": _but(variant) | own})
    network = (await google.call("GetEndpoint", {"name": endpoint})).network
    whole = dict.fromkeys(ids, 100) if len(ids) == 1 else {}
    split = each.args.get("trafficSplit", whole)
    if split and not (network and split == whole):  # there all goes to the one, unsaid
        shares = {ids.get(name, name): share for name, share in split.items()}
        request = {"endpoint": {"name": endpoint, "trafficSplit": shares}, "updateMask": "trafficSplit"}
        await google.call("UpdateEndpoint", request)


_ASK: Mapping[str, Any] = {
    QUEUED_RESOURCE: _queued_resource,
    MODEL: _model,
    ENDPOINT: _endpoint,
    DEPLOYMENT: _deployment,
}
