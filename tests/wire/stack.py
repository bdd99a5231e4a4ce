"""The engine's order of requests for one resource: `Stack` keeps states and does what `pulumi up` would do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pulumi.runtime.proto import provider_pb2

from tests.wire import programs
from tests.wire.harness import InitFailedError, State, Values, Wire
from tpuserve.provider.memory import Memory

SOME = provider_pb2.DiffResponse.DIFF_SOME


def urn_of(token: str, name: str) -> str:
    return f"urn:pulumi:local::project::{token}::{name}"


@dataclass
class Stack:
    """States by URN, and the steps taken; each step is a run of its own, with a plugin that remembers nothing."""

    wire: Wire
    states: dict[str, State] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

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
        return old

    async def replace(self, token: str, name: str, args: Values) -> State:
        """`--replace`, or a taint: Diff is never asked, and the new object is made before the old one goes."""
        self.new_run()
        urn = urn_of(token, name)
        old = self.states[urn]
        return await self._replace(urn, old, await self.wire.checked(urn, args, old), False)

    async def refresh(self, token: str, name: str) -> State | None:
        urn = urn_of(token, name)
        found = await self.wire.read(urn, self.states[urn].id, self.states[urn])
        if found is None:
            del self.states[urn]
        else:
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
        new = await self._create(urn, inputs)
        await self.wire.delete(urn, old)
        self.steps.append("delete-replaced")
        return new

    async def _kept(self, urn: str, answer: Any) -> State:
        try:
            return await answer
        except InitFailedError as error:
            self.states[urn] = error.state
            raise


async def served(stack: Stack, image: str = "registry/digits:1", **changes: Any) -> State:
    """A model on an endpoint, and a Deployment of it."""
    made = await stack.up(programs.MODEL, "m", programs.model(**{"containerSpec.imageUri": image}))
    place = await stack.up(programs.ENDPOINT, "e", programs.endpoint())
    args = programs.deployment(place.properties["name"], made.properties["versionName"], **changes)
    return await stack.up(programs.DEPLOYMENT, "d", args)
