"""Invoke: the arguments checked, Google asked, its answer as the function's result. Nothing is ever changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.checking import Checker
from tpuserve.provider.requests import get
from tpuserve.provider.waiting import location_of
from tpuserve.resources.check import faults, normalize
from tpuserve.resources.fields import Shape
from tpuserve.resources.functions import accelerator_types, endpoint, model, model_version, runtime_versions
from tpuserve.resources.functions.definition import Function
from tpuserve.resources.same import path_of
from tpuserve.resources.wire import from_google

Values = dict[str, Any]
EMPTY: Mapping[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "list": [], "map": {}}


class NotFoundError(Exception):
    """Google proved that what an argument names does not exist."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


async def answer(call: Call, checker: Checker, token: str, given: Mapping[str, Any]) -> tuple[Values, list[Fault]]:
    """The result of a function and no fault, or the faults of its arguments.

    Raises ResourceError for a function that does not exist, and what Google's refusals raise.
    """
    function = BY_TOKEN.get(token)
    if function is None:
        raise ResourceError(f"{token} is not a function of tpuserve; it has {', '.join(BY_TOKEN)}")
    arguments, found = checked(checker, function, given)
    if found:
        return {}, found
    if UNKNOWN in arguments.values():
        return {argument.wire: UNKNOWN for argument in function.result_shape.arguments}, []
    try:
        return complete(function.result_shape, await LOOKS[function](call, arguments)), []
    except NotFoundError as error:
        return {}, [error.fault]


def checked(checker: Checker, function: Function, given: Mapping[str, Any]) -> tuple[Values, list[Fault]]:
    """The arguments as they will be used, and everything that is wrong with them."""
    arguments = normalize(function.shape, given)
    found = [*faults(function.shape, arguments)]
    for rule in function.rules:
        found += rule(arguments)
    if function.needs_place(arguments):
        found += checker.placed(function.place, arguments)
    return arguments, found


def complete(shape: Shape, value: Mapping[str, Any]) -> Values:
    """A result in which nothing is left out: Google's JSON has no empty fields."""
    known = from_google(shape, value)
    return {argument.wire: _whole(argument.shape, known.get(argument.wire)) for argument in shape.arguments}


def _whole(shape: Shape, value: Any) -> Any:
    if shape.kind == "object":
        return complete(shape, value or {})
    if shape.kind == "list" and value and shape.item:
        return [_whole(shape.item, item) for item in value]
    return EMPTY[shape.kind] if value is None else value


def full_name(collection: str, value: str, arguments: Mapping[str, Any]) -> str:
    """The full name of what an argument names by its id or its full name."""
    if "/" in value:
        return path_of(value)
    return f"projects/{arguments['project']}/locations/{arguments['location']}/{collection}/{value}"


async def _found(call: Call, method: str, name: str, argument: str) -> Values:
    live = await get(call, method, name)
    if live is None:
        raise NotFoundError(Fault(argument, f"{name} does not exist"))
    return live


async def _model_version(call: Call, arguments: Values) -> Values:
    name = full_name("models", arguments["model"], arguments)
    argument = next((which for which in ("alias", "version") if arguments.get(which)), "")
    live = await get(call, "GetModel", f"{name}@{arguments[argument]}") if argument else None
    if live is None:
        live = await _found(call, "GetModel", name, "model")
        if argument:
            raise NotFoundError(Fault(argument, await _other_versions(call, name, arguments[argument])))
    return {**live, **_version_names(live), "modelId": name.rsplit("/", 1)[-1]}


async def _other_versions(call: Call, name: str, asked: str) -> str:
    told = [" ".join([live["versionId"], *_bracketed(live)]) for live in await _versions(call, name)]
    return f"{name} has no version {asked!r}; it has {', '.join(told)}"


def _bracketed(live: Mapping[str, Any]) -> list[str]:
    aliases = ", ".join(live.get("versionAliases", []))
    return [f"({aliases})"] if aliases else []


async def _versions(call: Call, name: str) -> list[Values]:
    listing = call.google.pages("ListModelVersions", {"name": name}, location_of(name), key="models")
    return sorted(await call.race(listing), key=lambda live: int(live["versionId"]))


def _version_names(live: Mapping[str, Any]) -> Values:
    """`name` is the model's, whether or not Google's has the version in it."""
    name = live["name"].split("@")[0]
    return {"name": name, "versionName": f"{name}@{live['versionId']}"}


async def _model(call: Call, arguments: Values) -> Values:
    name = full_name("models", arguments["model"], arguments)
    live = await _found(call, "GetModel", name, "model")
    versions = [{**version, **_version_names(version)} for version in await _versions(call, name)]
    own = {"name": live["name"].split("@")[0], "modelId": name.rsplit("/", 1)[-1]}
    return {**live, **own, "versions": versions}


async def _endpoint(call: Call, arguments: Values) -> Values:
    name = full_name("endpoints", arguments["endpoint"], arguments)
    live = await _found(call, "GetEndpoint", name, "endpoint")
    return {**live, "endpointId": name.rsplit("/", 1)[-1]}


async def _accelerator_types(call: Call, arguments: Values) -> Values:
    return {"acceleratorTypes": await _of_zone(call, "ListAcceleratorTypes", "acceleratorTypes", arguments)}


async def _runtime_versions(call: Call, arguments: Values) -> Values:
    return {"runtimeVersions": await _of_zone(call, "ListRuntimeVersions", "runtimeVersions", arguments)}


async def _of_zone(call: Call, method: str, key: str, arguments: Values) -> list[Values]:
    parent = f"projects/{arguments['project']}/locations/{arguments['zone']}"
    return await call.race(call.google.pages(method, {"parent": parent}, key=key))


Look = Callable[[Call, Values], Awaitable[Values]]
LOOKS: dict[Function, Look] = {
    model_version.FUNCTION: _model_version,
    model.FUNCTION: _model,
    endpoint.FUNCTION: _endpoint,
    accelerator_types.FUNCTION: _accelerator_types,
    runtime_versions.FUNCTION: _runtime_versions,
}
BY_TOKEN = {function.token: function for function in LOOKS}
