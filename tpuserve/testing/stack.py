"""The engine's order of requests for one resource: `Stack` keeps states and does what `pulumi up` would do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pulumi.runtime.proto import provider_pb2

from tpuserve.provider.memory import Memory
from tpuserve.testing.wire import InitFailedError, State, Values, Wire

OWNER = "a" * 20
SOME = provider_pb2.DiffResponse.DIFF_SOME


def urn_of(token: str, name: str) -> str:
    """The URN of a resource of that type and name, in the project and stack of these tests."""
    return f"urn:pulumi:local::project::{token}::{name}"


def settings(address: str, rest: str = "", **changes: Any) -> dict[str, Any]:
    """The provider's configuration (`tpuserve:<name>` of a stack) for an emulator with its default settings.

    `address` is gRPC's, `rest` REST's, which flex-start needs.
    """
    url = f"http://{address}"
    endpoints = {"tpu": url, "aiplatform": url} | ({"tpuRest": f"http://{rest}"} if rest else {})
    given = {"project": "tpuserve-local", "location": "us-east5", "zone": "us-east5-b", "ownerId": OWNER}
    return given | {"endpoints": endpoints} | changes


@dataclass
class Stack:
    """States by URN, and the steps taken; each step is a run of its own, with a plugin that remembers nothing.

    `token` is the resource's type (`tpuserve:vertex:Model`), `name` its name in the program, `args` its arguments as
    the wire spells them (camelCase). Errors: CheckFailedError for arguments that Check refuses, WireError for a failure
    that leaves the state as it was, InitFailedError for one half way, whose state is kept.
    """

    wire: Wire
    states: dict[str, State] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    """What was done, in order: create, same, update, delete-replaced, delete."""
    doomed: dict[str, list[State]] = field(default_factory=dict)
    """What was replaced and is not deleted yet, by URN: the next `up` that succeeds takes it away."""
    reads_first: bool = False
    """Whether a resource that asks for it (`refresh_before_update`) is read before an update, as the engine does."""

    def new_run(self) -> None:
        """Another engine, another plugin process: what the last one remembered is gone."""
        assert self.wire.provider is not None
        self.wire.provider.memory = Memory()
        self.wire.provider.cancelled.clear()
        self.wire.provider.checker.served.clear()

    async def up(self, token: str, name: str, args: Values) -> State:
        """Declare one resource and bring it about, as an update does."""
        self.new_run()
        urn = urn_of(token, name)
        state = await self._up(token, name, args, urn)
        await self._delete_replaced(urn)
        return state

    async def _up(self, token: str, name: str, args: Values, urn: str) -> State:
        if self.reads_first and urn in self.states and self.states[urn].refresh_first:
            await self.refresh(token, name)
        old = self.states.get(urn)
        inputs = await self.wire.checked(urn, args, old)
        if old is None:
            return await self._create(urn, inputs)
        diff = await self.wire.diff(urn, old, inputs)
        if diff.replaces:
            return await self._replace(urn, old, inputs, diff.deleteBeforeReplace)
        if diff.changes == SOME or old.failed:
            return await self._update(urn, old, inputs)
        self.steps.append("same")
        self.states[urn] = replace(old, inputs=inputs)  # outputs stay, inputs are the program's
        return self.states[urn]

    async def replace(self, token: str, name: str, args: Values) -> State:
        """`--replace`, or a taint: Diff is never asked, and the new object is made before the old one goes."""
        self.new_run()
        urn = urn_of(token, name)
        old = self.states[urn]
        return await self._replace(urn, old, await self.wire.checked(urn, args, old), False)

    async def difference(self, token: str, name: str, args: Values) -> dict[str, str]:
        """What a preview would show: property path -> kind (ADD, UPDATE_REPLACE ...); empty where nothing changes."""
        urn = urn_of(token, name)
        old = self.states[urn]
        found = await self.wire.diff(urn, old, await self.wire.checked(urn, args, old))
        kinds = provider_pb2.PropertyDiff.Kind
        return {path: kinds.Name(diff.kind) for path, diff in found.detailedDiff.items()}

    async def refresh(self, token: str, name: str) -> State | None:
        """Read it again; None, and no state of it any more, where it is gone."""
        urn = urn_of(token, name)
        old = self.states[urn]
        found = await self.wire.read(urn, old.id, old)
        if found is None:
            del self.states[urn]
        else:
            self.states[urn] = found
        return found

    async def import_(self, token: str, name: str, resource_id: str) -> State | None:
        """Take an object over by its id alone; None where it does not exist."""
        urn = urn_of(token, name)
        found = await self.wire.read(urn, resource_id)
        if found is not None:
            self.states[urn] = found
        return found

    async def remove(self, token: str, name: str) -> None:
        """`destroy`, or removed from the program."""
        self.new_run()
        urn = urn_of(token, name)
        await self.wire.delete(urn, self.states[urn])
        del self.states[urn]
        self.steps.append("delete")

    async def _create(self, urn: str, inputs: dict[str, Any]) -> State:
        self.steps.append("create")
        self.states[urn] = await self._kept(urn, self.wire.create(urn, inputs))
        return self.states[urn]

    async def _update(self, urn: str, old: State, inputs: dict[str, Any]) -> State:
        self.steps.append("update")
        self.states[urn] = await self._kept(urn, self.wire.update(urn, old, inputs))
        return self.states[urn]

    async def _replace(self, urn: str, old: State, inputs: dict[str, Any], delete_first: bool) -> State:
        if delete_first:
            await self.wire.delete(urn, old)
            self.steps.append("delete-replaced")
            del self.states[urn]
            return await self._create(urn, inputs)
        try:
            new = await self._create(urn, inputs)
        except InitFailedError:
            self.doomed.setdefault(urn, []).append(old)
            raise
        self.doomed.setdefault(urn, []).append(old)
        await self._delete_replaced(urn)
        return new

    async def _delete_replaced(self, urn: str) -> None:
        while waiting := self.doomed.get(urn):
            await self.wire.delete(urn, waiting[0])
            waiting.pop(0)
            self.steps.append("delete-replaced")

    async def _kept(self, urn: str, answer: Any) -> State:
        try:
            return await answer
        except InitFailedError as error:
            self.states[urn] = error.state
            raise
