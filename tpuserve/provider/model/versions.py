"""Versions of a model: addressed by what they are made of, so that no upload is repeated."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from tpuserve.catalog.faults import Fault
from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call
from tpuserve.provider.drift import is_as_asked
from tpuserve.provider.ownership import digest
from tpuserve.provider.requests import get
from tpuserve.provider.values import Path, at, redacted
from tpuserve.provider.waiting import finish_running, location_of
from tpuserve.resources.diff import changes, with_effect
from tpuserve.resources.fields import Effect
from tpuserve.resources.model import DEFINITION
from tpuserve.resources.wire import to_google

Values = Mapping[str, Any]
Look = Callable[[], Awaitable[dict[str, Any] | None]]
TRIES = 3  # uploads without an answer; before each the registry is looked at
OURS = re.compile(r"c-[0-9a-f]{20}(-\d+)?")
"""An alias of a version that tpuserve uploaded; with a number it is one that another secret took the place of."""
SECRETS_SINCE = "__secretsSince"
"""Output: the first of the versions uploaded with the secrets that the arguments have. Internal to Pulumi, as what
begins with two underscores is."""


def served(inputs: Values) -> dict[str, Any]:
    """What a version is made of."""
    return with_effect(DEFINITION.shape, inputs, Effect.NEW_VERSION)


def is_served(state: Values, inputs: Values) -> bool:
    """Whether the version in the state is made of the inputs, however they are spelled."""
    return not list(changes(DEFINITION.shape, served(state), served(inputs)))


def specification_alias(inputs: Values, secrets: Iterable[Path] = ()) -> str:
    """`c-<hash>`: the same for the same version, whoever uploads it and when; no secret enters it."""
    return f"c-{digest(served(redacted(inputs, secrets)), length=20)}"


def is_ours(version: Values) -> bool:
    """Whether tpuserve uploaded the version, for whichever stack."""
    return any(OURS.fullmatch(alias) for alias in version.get("versionAliases", []))


async def listed(call: Call, name: str, location: str) -> list[dict[str, Any]]:
    """Every version of a model, with its aliases and where it is deployed."""
    request = {"name": name}
    return await call.race(call.google.pages("ListModelVersions", request, location, key="models"))


def is_unread(state: Values) -> bool:
    """Whether the state has a version but not what it is made of: imported, and Google did not return its container."""
    return bool(state.get("versionId")) and not state.get("containerSpec")


def remembered(old: Values, state: Values, new: Values) -> dict[str, Any]:
    """The old inputs, completed where an imported version's alias tells that it is made of the new ones.

    With a secret in them it cannot tell: secrets are plain here, and so the alias is another.
    """
    if is_unread(state) and specification_alias(new) in state.get("versionAliases", []):
        return {**old, **served(new)}
    return dict(old)


def untold(state: Values, inputs: Values) -> Iterator[Fault]:
    """A version of others that cannot be read is neither taken for the one described nor silently left behind."""
    if is_unread(state) and not is_ours(state) and not inputs.get("contentVersion"):
        yield Fault(
            "contentVersion",
            f"is needed: {state.get('versionName')} was uploaded by something other than tpuserve, and Google does not "
            "return its container, so whether it is the one described here cannot be told. Give any text to upload "
            "what is described here as a new version; or take the model out of program and state (`pulumi state "
            "delete`), and deploy the version as it is with getModelVersion",
        )


async def existing(call: Call, inputs: Values, name: str, state: Values) -> dict[str, Any] | None:
    """The version that is made of the inputs, if there is one: the state's own, or the one with the alias."""
    if state.get("versionId") and is_served(state, inputs):
        found = await get(call, "GetModel", f"{name}@{state['versionId']}")
        if found is not None:
            return found
    marked = await get(call, "GetModel", f"{name}@{specification_alias(inputs, call.secrets)}")
    return marked if marked is not None and _has_the_secrets(call, inputs, marked, state) else None


def _has_the_secrets(call: Call, inputs: Values, version: Values, state: Values) -> bool:
    """Whether the version with the alias holds the secrets of the inputs: the alias cannot tell.

    Its container can, where Google returns it; else the state, of what was uploaded since a secret changed. A create
    has neither, and takes what an earlier try of it has uploaded.
    """
    if not _secrets_of(call, inputs):
        return True
    if version.get("containerSpec"):
        return is_as_asked(DEFINITION.shape, version, to_google(DEFINITION.shape, served(inputs)), {})
    since = state.get(SECRETS_SINCE)
    return not state or bool(since and keeps_secrets(call, inputs, state) and int(version["versionId"]) >= int(since))


def keeps_secrets(call: Call, inputs: Values, state: Values) -> bool:
    """Whether the secrets are those of the version in the state, as far as the state knows that."""
    paths = _secrets_of(call, inputs)
    return bool(state.get("versionId")) and all(at(inputs, path) == at(state, path) for path in paths)


def secrets_since(call: Call, inputs: Values, state: Values, uploaded: str) -> dict[str, str]:
    """The output; without it nothing is known. `uploaded` is the version that was uploaded just now, if one was."""
    since = state.get(SECRETS_SINCE) if keeps_secrets(call, inputs, state) else None
    known = (since or uploaded) if _secrets_of(call, inputs) else ""
    return {SECRETS_SINCE: known} if known else {}


def _secrets_of(call: Call, inputs: Values) -> list[Path]:
    return [path for path in call.secrets if at(served(inputs), path) is not None]


async def upload(
    call: Call, name: str, alias: str, send: Callable[[], Awaitable[dict[str, Any]]], ours: Look
) -> dict[str, Any]:
    """A new version with that alias; `send` uploads once. An upload without an answer is looked for before the next.

    `ours` raises where the model is another hand's by now.
    """
    before = await _set_aside(call, name, alias)
    for last in [False] * (TRIES - 1) + [True]:
        try:
            return await send()
        except CloudError as error:
            if errors.is_refusal(error) and error.code != "ALREADY_EXISTS":
                exists = await get(call, "GetModel", name)
                call.draft.id = call.draft.id if exists else ""
                raise
            if last:
                raise
        await call.pause(0.5)
        await finish_running(call, name)
        found = await get(call, "GetModel", f"{name}@{alias}")
        if found is not None and found.get("versionId") != before:
            await ours()
            return found
    raise AssertionError("the last try returns or raises")


async def _set_aside(call: Call, name: str, alias: str) -> str | None:
    """The version that has the alias and will lose it: made with another secret, it stays known as ours by another."""
    live = await get(call, "GetModel", f"{name}@{alias}")
    if live is None:
        return None
    version = live["versionId"]
    request = {"name": f"{name}@{version}", "versionAliases": [f"{alias}-{version}"]}
    await call.cloud("MergeVersionAliases", request, location_of(name))
    return version
