"""What a stack's state knows of objects at Google: its entries and its pending creates (pure).

The format is that of `pulumi stack export`. What cannot be read, such as a secret, counts as known: nothing is an
orphan by doubt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.marks import is_secret
from tpuserve.orphans.names import Name
from tpuserve.provider.ownership import Identity
from tpuserve.provider.state_version import Entry, StateVersionError, migrated
from tpuserve.provider.values import Properties
from tpuserve.resources.same import learned

PACKAGE = "tpuserve:"
PROVIDER = "pulumi:providers:tpuserve"
DEPLOYMENT = "tpuserve:vertex:Deployment"
MakeId = Callable[[str, Mapping[str, Any]], str]
"""Type token and checked inputs -> the id that a create gives the object."""


class StateError(Exception):
    """The text is no export of a stack's state."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """What one entry of a Deployment holds on its endpoint."""

    endpoint: Name
    origin: str
    ids: frozenset[str] | None
    """Ids of its deployed models; None if they cannot be read, and may be any."""

    def holds(self, endpoint: Name, key: str, identity: str, owner: str) -> bool:
        """Whether the deployed model is its own: listed, or marked so that its next update takes it over."""
        if not self.endpoint.may_be(endpoint):
            return False
        return self.ids is None or key in self.ids or identity == Identity(owner, self.origin).hash[:12]


@dataclass(frozen=True, slots=True)
class Pending:
    """A create that was begun and never recorded as ended."""

    urn: str
    token: str
    id: str
    parent: str = ""
    """URN of a component that it is part of."""


@dataclass(frozen=True, slots=True)
class State:
    """One stack's state."""

    names: frozenset[Name] = frozenset()
    """Objects of the entries, those that wait for their delete among them."""
    deployed: tuple[Deployed, ...] = ()
    pending: tuple[Pending, ...] = ()
    """Creates whose object no entry holds."""
    owners: frozenset[str] = frozenset()
    """Owner ids that the providers in the state have."""
    projects: Mapping[str, str] = field(default_factory=dict)
    """Project number -> id, where the state has both."""

    def knows(self, name: Name) -> bool:
        """Whether an entry holds the object."""
        return any(known.may_be(name) for known in self.names)

    def pending_of(self, name: Name) -> Pending | None:
        """The pending create that would have made the object."""
        for pending in self.pending:
            made = Name.parse(pending.id)
            if made and pending.token != DEPLOYMENT and made.may_be(name):
                return pending
        return None

    def places(self, collection: str) -> set[tuple[str, str]]:
        """Project and location of every object of `collection` in entries and pending creates."""
        made = (Name.parse(pending.id) for pending in self.pending)
        everything = [*self.names, *(item.endpoint for item in self.deployed), *(name for name in made if name)]
        found = [name for name in everything if name.collection == collection]
        return {(self.projects.get(name.project, name.project), name.location) for name in found}


def read_state(export: Any, make_id: MakeId) -> State:
    """The state in an export. Raises StateError."""
    deployment = export.get("deployment") if isinstance(export, Mapping) else None
    if not isinstance(deployment, Mapping):
        raise StateError("no `deployment` in it: give what `pulumi stack export` writes")
    resources = [item for item in deployment.get("resources") or [] if isinstance(item, Mapping)]
    ours = [item for item in resources if str(item.get("type", "")).startswith(PACKAGE) and item.get("id")]
    entries = [_current(item) for item in ours]
    names = frozenset(name for item in entries for name in _names(item))
    deployed = tuple(_deployed(entries))
    operations = [item for item in deployment.get("pending_operations") or [] if isinstance(item, Mapping)]
    pending = [item for operation in operations for item in _pending(operation, make_id)]
    held = {(item["urn"], item["id"]) for item in entries}
    left = tuple(item for item in pending if (item.urn, item.id) not in held)
    return State(names, deployed, left, frozenset(_owners(resources)), _projects(entries))


def _current(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry as this version writes it."""
    inputs, outputs = plain(item.get("inputs") or {}), plain(item.get("outputs") or {})
    try:
        entry = migrated(item["type"], Entry(Properties(inputs), Properties(outputs)))
    except StateVersionError as error:
        raise StateError(str(error)) from None
    return {**item, "inputs": entry.inputs.values, "outputs": entry.outputs.values}


def _projects(entries: list[Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in entries:
        answered = plain((entry.get("outputs") or {}).get("name"))
        if isinstance(answered, str):
            found |= {number: given for given, number in learned(entry["id"], answered).items()}
    return found


def _names(entry: Mapping[str, Any]) -> Iterator[Name]:
    """The object in both spellings of its project: as it was asked for, and as Google answered."""
    if entry["type"] == DEPLOYMENT:
        return
    for text in (entry["id"], plain((entry.get("outputs") or {}).get("name"))):
        if name := Name.parse(text):
            yield name


def _deployed(entries: list[Mapping[str, Any]]) -> Iterator[Deployed]:
    for entry in entries:
        endpoint = Name.parse(entry["id"])
        if entry["type"] == DEPLOYMENT and endpoint:
            outputs = entry.get("outputs") or {}
            origin = plain(outputs.get("origin"))
            yield Deployed(endpoint, origin if isinstance(origin, str) else entry["urn"], _ids(outputs))


def _ids(outputs: Mapping[str, Any]) -> frozenset[str] | None:
    status, retiring = plain(outputs.get("deployedModelStatus", {})), plain(outputs.get("retiring", []))
    if not isinstance(status, Mapping) or not isinstance(retiring, list):
        return None
    ids = [plain(item.get("id")) if isinstance(item, Mapping) else None for item in map(plain, status.values())]
    found = [*ids, *map(plain, retiring)]
    return frozenset(found) if all(isinstance(item, str) for item in found) else None


def _pending(operation: Mapping[str, Any], make_id: MakeId) -> Iterator[Pending]:
    resource = operation.get("resource")
    if operation.get("type") != "creating" or not isinstance(resource, Mapping):
        return
    token = str(resource.get("type", ""))
    if not token.startswith(PACKAGE):
        return
    try:
        made = make_id(token, plain(resource.get("inputs") or {}))
        yield Pending(resource["urn"], token, made, _component(resource.get("parent")))
    except (KeyError, TypeError):
        # Inputs that no create of this version was given: nothing can be said of them.
        return


def _component(parent: Any) -> str:
    """The parent, unless it is the stack itself, under which everything is imported anyway."""
    return "" if not isinstance(parent, str) or "::pulumi:pulumi:Stack::" in parent else parent


def _owners(resources: list[Mapping[str, Any]]) -> Iterator[str]:
    for entry in resources:
        owner = plain((entry.get("inputs") or {}).get("ownerId"))
        if entry.get("type") == PROVIDER and isinstance(owner, str):
            yield owner


def plain(value: Any) -> Any:
    """The value of a secret that was exported with `--show-secrets`; an encrypted one stays the object it is."""
    if is_secret(value):
        text = value.get("plaintext")
        return json.loads(text) if isinstance(text, str) else value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value
