"""What the lifecycles of objects with labels share: whose an object is, also where it was made again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tpuserve.google import CloudError
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.lifecycle import Inputs, Lifecycle, Outputs
from tpuserve.provider.ownership import SET_OWNER, Identity, is_anothers, whose
from tpuserve.provider.requests import get


class OwnedLifecycle(Lifecycle):
    """A resource whose object says by its labels whose it is, and by its creation time which one it is."""

    getter: ClassVar[str]
    """The method that reads the object by its name."""

    def labels_of(self, live: Mapping[str, Any]) -> Mapping[str, str]:
        return live.get("labels", {})

    @property
    def id_argument(self) -> str:
        assert self.definition.id_argument
        return self.definition.id_argument

    def ours_or_error(self, live: Mapping[str, Any], identity: Identity, name: str, call: Call) -> None:
        labels = self.labels_of(live)
        if not identity.has(labels):
            fix = "" if identity.owner else f"; {SET_OWNER}"
            raise ResourceError(
                f"{name} exists and was not taken: {whose(labels, identity)}. {self._ways_out(call, name)}{fix}"
            )

    async def goes_on(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> bool:
        """Whether the current entry of the resource holds the object, which no delete of another one takes away."""
        if not held & self.listed(resource_id, state):
            return False
        await call.say(f"{resource_id} goes on: the current entry of this resource holds it", False)
        return True

    async def present(self, call: Call, name: str, state: Outputs, *, rest: bool = False) -> dict[str, Any] | None:
        """The state's object; None where it is gone, be it that another hand made another one of its name.

        `rest`: with what REST alone tells of it.
        """
        live = await get(call, self.getter, name, rest=rest)
        if live is None or not self._is_anothers(call, live, state):
            return live
        await call.say(f"{self._made_again(call, live, name, state)}; it is left as it is", False)
        return None

    async def present_or_refused(self, call: Call, name: str, state: Outputs) -> dict[str, Any] | None:
        """The state's object, None where its name is free; an error where another hand made another one of it."""
        live = await get(call, self.getter, name)
        if live is not None and self._is_anothers(call, live, state):
            raise ResourceError(
                f"{self._made_again(call, live, name, state)}, and nothing was changed. `pulumi refresh` takes the old "
                f"one out of the state. {self._ways_out(call, name)}"
            )
        return live

    def _is_anothers(self, call: Call, live: Mapping[str, Any], state: Outputs) -> bool:
        return is_anothers(state, live, self.labels_of(live), call.identity(state.get("origin")))

    def _made_again(self, call: Call, live: Mapping[str, Any], name: str, state: Outputs) -> str:
        holder = whose(self.labels_of(live), call.identity(state.get("origin")))
        times = f"the state's is of {state.get('createTime') or 'a create that got no answer'}"
        return f"{name} is another object now, made {live.get('createTime', 'since')} ({times}): {holder}"

    def _ways_out(self, call: Call, name: str) -> str:
        return (
            f"Give another {self.id_argument}, or import it with `pulumi import {self.definition.token} "
            f"{call.name} {name}`"
        )

    async def spelled_as_configured(self, call: Call, place: Inputs, live: Mapping[str, Any]) -> Inputs:
        """`place` with the configured project's id, where it was given by number and Google answers to both alike."""
        configured = call.config.default("project") or ""
        if not place["project"].isdecimal() or not configured or configured.isdecimal():
            return place
        other = place | {"project": configured}
        try:
            found = await get(call, self.getter, self.resource_id(other))
        except CloudError:  # of a project that this caller may not read: another one
            return place
        same = found is not None and (found["name"], found.get("createTime")) == (live["name"], live.get("createTime"))
        return other if same else place
