"""What the tests of models look at: versions and their aliases at Google, and another hand at work on them."""

from __future__ import annotations

from typing import Any

from tests.wire.harness import State
from tests.wire.programs import MODEL, model
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator
from tpuserve.google import Google

URN = urn_of(MODEL, "m")
IMAGE = "containerSpec.imageUri"


async def up(stack: Stack, image: int = 1, aliases: list[str] | None = None, **changes: Any) -> State:
    """Model `m` with image `digits:<image>` and these aliases."""
    given = {IMAGE: f"registry/digits:{image}", **changes}
    return await stack.up(MODEL, "m", model(**given, **({} if aliases is None else {"versionAliases": aliases})))


def aliases(emulator: Emulator) -> dict[str, set[str]]:
    """Version of the only model -> its aliases, less the marks of tpuserve."""
    (found,) = emulator.control.objects()["models"]
    return {
        version["versionId"]: {name for name in version["versionAliases"] if not name.startswith("c-")}
        for version in found["versions"]
    }


def versions(emulator: Emulator) -> list[str]:
    return sorted(aliases(emulator), key=int)


def changing(emulator: Emulator) -> list[str]:
    """Methods of the calls that change something."""
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


def asked(emulator: Emulator, method: str) -> list[dict[str, Any]]:
    """The requests of one method."""
    return [call["request"] for call in emulator.control.calls() if call["method"] == method]


def hand(stack: Stack) -> Google:
    """Another hand: Google's API, without a word to the state."""
    assert stack.wire.provider is not None
    return stack.wire.provider.google


async def by_hand(stack: Stack, method: str, **request: Any) -> dict[str, Any]:
    return await hand(stack).call(method, request, "us-east5")


async def give(stack: Stack, version: int, *changes: str) -> None:
    """Somebody else gives aliases to a version, or takes them with a minus."""
    name = f"{stack.states[URN].id}@{version}"
    await by_hand(stack, "MergeVersionAliases", name=name, versionAliases=list(changes))
