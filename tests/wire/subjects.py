"""The four resources as the tables of lifecycles and faults take them: arguments, faults, counts, a bench for a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.wire.harness import InitFailedError, State, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, deployment, endpoint, model
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

End = Literal["done", "error", "partial"]
"""How a step ended: well, with the state as it was, or half way with a state to keep."""
NAMES = {QUEUED_RESOURCE: "r", MODEL: "m", ENDPOINT: "e", DEPLOYMENT: "d"}
QUICK = (0.001, 0.01)
"""Seconds between two tries of one request, so that one that is never answered is given up at once."""
IMAGE_2 = {"containerSpec.imageUri": "registry/digits:2"}
ARGS: dict[str, Callable[..., dict[str, Any]]] = {QUEUED_RESOURCE: collection, MODEL: model, ENDPOINT: endpoint}


@dataclass(frozen=True)
class Fault:
    """What goes wrong: a call is answered with an error, or an operation ends in one."""

    name: str
    """A method, or in small letters a kind of operation."""
    code: str
    message: str = "told to fail"
    times: int = 1
    phase: Literal["before", "after"] = "before"
    more: dict[str, Any] = field(default_factory=dict)

    def arrange(self, emulator: Emulator) -> None:
        control = emulator.control
        if self.name.islower():
            control.fail_operation(self.name, self.code, self.message, self.times, **self.more)
        else:
            control.fail(self.name, self.code, self.message, self.times, phase=self.phase, **self.more)


def refused(method: str) -> Fault:
    """Google refuses the call: nothing was done."""
    return Fault(method, "PERMISSION_DENIED")


def silent(method: str) -> Fault:
    """No answer comes, however often it is asked for, and nothing was done."""
    return Fault(method, "UNAVAILABLE", times=-1)


def broken(kind: str) -> Fault:
    """The call is answered, and the operation it began fails."""
    return Fault(kind, "INTERNAL")


def lost(method: str) -> Fault:
    """The call is committed and its answer lost."""
    return Fault(method, "UNAVAILABLE", phase="after")


def count(emulator: Emulator, token: str) -> int:
    """Objects of that resource at Google; of a Deployment, deployed models."""
    found = emulator.control.objects()
    if token == DEPLOYMENT:
        return sum(len(place.get("deployedModels", [])) for place in found["endpoints"])
    return len(found[{QUEUED_RESOURCE: "queuedResources", MODEL: "models", ENDPOINT: "endpoints"}[token]])


def changing(emulator: Emulator) -> list[str]:
    """Methods of the calls that were committed and change something."""
    return [call["method"] for call in emulator.control.calls(mutating_only=True) if call["code"] == "OK"]


@dataclass
class Bench:
    """One resource of a stack, and a step of it that fails."""

    stack: Stack
    emulator: Emulator
    token: str
    condemned: State | None = None
    """What a replacement that failed has left to be deleted, as the engine keeps it."""
    end: End = "done"
    message: str = ""

    def __post_init__(self) -> None:
        assert self.stack.wire.provider is not None
        self.stack.wire.provider.google.retry_wait = QUICK
        self.stack.reads_first = True

    @property
    def urn(self) -> str:
        return urn_of(self.token, NAMES[self.token])

    @property
    def state(self) -> State | None:
        return self.stack.states.get(self.urn)

    async def args(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The arguments with these changes; of a Deployment `image` and `endpoint` say what it serves, and where."""
        if self.token != DEPLOYMENT:
            return ARGS[self.token](**changes)
        rest = {key: value for key, value in changes.items() if key not in ("image", "endpoint")}
        image = {"containerSpec.imageUri": f"registry/digits:{changes.get('image', 1)}"}
        made = await self.stack.up(MODEL, "m", model(**image))
        place = await self.stack.up(ENDPOINT, changes.get("endpoint", "e"), endpoint())
        return deployment(place.properties["name"], made.properties["versionName"], **rest)

    async def up(self, args: dict[str, Any]) -> None:
        """The next run of the program: first goes what a replacement has left."""
        if self.condemned is not None:
            self.stack.new_run()
            await self.stack.wire.delete(self.urn, self.condemned)
            self.condemned = None
        await self.stack.up(self.token, NAMES[self.token], args)

    async def attempt(self, step: str, args: dict[str, Any], resource_id: str = "") -> None:
        """One step, whose end is kept."""
        old = self.state
        try:
            await self._step(step, args, resource_id)
        except (InitFailedError, WireError) as error:
            self.end = "partial" if isinstance(error, InitFailedError) else "error"
            self.message = str(error)
        if self.end != "done" and old is not None and self.state is not None and self.state.id != old.id:
            self.condemned = old

    async def _step(self, step: str, args: dict[str, Any], resource_id: str) -> None:
        name = NAMES[self.token]
        if step == "import":
            await self.stack.import_(self.token, name, resource_id)
        elif step == "refresh":
            await self.stack.refresh(self.token, name)
        elif step == "delete":
            await self.stack.remove(self.token, name)
        else:
            await self.up(args)

    async def settled(self, args: dict[str, Any]) -> tuple[int, dict[str, str], list[str]]:
        """After the next run: objects, what a preview would show, and what a further run changes."""
        await self.up(args)
        shown = await self.stack.difference(self.token, NAMES[self.token], args)
        self.emulator.control.clear_calls()
        await self.up(args)
        return count(self.emulator, self.token), shown, changing(self.emulator)
