"""What the plugin asks of each resource; the servicer knows the four only by this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.provider.call import Call
from tpuserve.provider.values import Path
from tpuserve.resources.definition import Definition
from tpuserve.resources.diff import Change
from tpuserve.resources.fields import Effect

Inputs = dict[str, Any]
Outputs = dict[str, Any]


@dataclass(slots=True)
class Found:
    """What Read found."""

    inputs: Inputs
    outputs: Outputs
    secrets: frozenset[Path] = frozenset()
    """Where in the inputs a secret may stand that no state has marked as one."""


class Lifecycle:
    """One resource's way through Create, Read, Update and Delete.

    Create and Update fill `call.draft` as they go, so that a failure half way loses nothing.
    """

    definition: ClassVar[Definition]

    def resource_id(self, inputs: Inputs) -> str:
        """The physical id: the full name, in the spelling of the inputs."""
        raise NotImplementedError

    def fixed_names(self, inputs: Inputs) -> set[str]:
        """Names that only one object can have: where a replacement needs the same one, delete comes first."""
        return {self.resource_id(inputs)}

    def listed(self, resource_id: str, outputs: Mapping[str, Any]) -> set[str]:
        """Every object at Google that a state entry lists, by each name it is known by (a project's id, its number)."""
        return {name for name in (resource_id, outputs.get("name")) if name}

    async def more_changes(self, call: Call, old: Inputs, state: Outputs, new: Inputs) -> list[Change]:
        """Changes that the inputs alone do not show."""
        return []

    def level(self, old: Inputs, state: Outputs, new: Inputs) -> tuple[Inputs, Inputs]:
        """Both inputs less what differs in the writing alone: an argument left out, or given as what that means."""
        return old, new

    def refused(self, old: Inputs, state: Outputs, new: Inputs) -> Iterable[Fault]:
        """What is wrong with the step from the old inputs to the new ones; not asked for a new resource."""
        return ()

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        """Outputs as far as they are known before anything is done; all of them stay in an update in place."""
        names = [argument.wire for argument in self.definition.output_shape.arguments]
        return {name: (UNKNOWN if state is None else state.get(name)) for name in names}

    def rows(self, changes: list[Change]) -> list[Change]:
        """The changes as a reviewer sees them."""
        return changes

    def note(self, changes: list[Change], old: Inputs, new: Inputs) -> str:
        """What the changes will do, in a line beside the diff."""
        return ""

    def warning(self, state: Outputs, old: Inputs, new: Inputs, replaced: bool) -> str:
        """What a preview has to say whether or not anything changes; it stays on the screen."""
        return ""

    async def create(self, call: Call, inputs: Inputs) -> None:
        raise NotImplementedError

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        raise NotImplementedError

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        """None only where Google proved that the object is gone."""
        raise NotImplementedError

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        """Take away what `state` lists, less what is `held` by the current entry of the URN."""
        raise NotImplementedError


def replaces(changes: list[Change]) -> bool:
    """Whether any of the changes needs another object."""
    return any(change.effect is Effect.REPLACE for change in changes)
