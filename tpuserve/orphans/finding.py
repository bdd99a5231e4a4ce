"""Which of the objects at Google are orphans: of this owner, and in no entry of the state (pure).

A model, an endpoint and the slices of a queued resource carry the owner id as a label. A deployed model has none: the
mark in its display name is a hash of owner and URN, so it is told by the URNs that are known, by the claim on its
endpoint, which tells the owner, or by its endpoint's owner label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tpuserve.orphans.names import Name
from tpuserve.orphans.state import DEPLOYMENT, Pending, State
from tpuserve.provider.ownership import CLAIM_LABEL, OWNER_LABEL, Identity, is_claim_of, read_mark
from tpuserve.provider.queued_resource.view import chips_of, state_of

Json = Mapping[str, Any]


class Kind(Enum):
    """What an orphan is, in the order in which orphans are removed."""

    DEPLOYED_MODEL = "deployed model"
    CLAIM = "claim"
    """The label on an endpoint that says which Deployment serves it."""
    ENDPOINT = "endpoint"
    MODEL = "model"
    QUEUED_RESOURCE = "queued resource"


@dataclass(frozen=True, slots=True)
class Orphan:
    """One object that no entry of the state holds."""

    kind: Kind
    name: Name
    """Of a deployed model and a claim: the endpoint's."""
    detail: str = ""
    pending: Pending | None = None
    """The pending create that made it, for `pulumi refresh --import-pending-creates`."""
    deployed_model_id: str = ""
    claim: str = ""
    """Of a claim: the label's value."""
    unproven: bool = False
    """It may be another stack's: nothing is removed by doubt."""

    def __str__(self) -> str:
        return f"{self.name}/deployedModels/{self.deployed_model_id}" if self.deployed_model_id else str(self.name)


@dataclass(frozen=True, slots=True)
class Findings:
    """What Google answered, each object under the name that was asked for."""

    queued_resources: Mapping[Name, Json] = field(default_factory=dict)
    models: Mapping[Name, Json] = field(default_factory=dict)
    endpoints: Mapping[Name, Json] = field(default_factory=dict)


def orphans(owner: str, state: State, found: Findings, origins: Iterable[str] = ()) -> list[Orphan]:
    """Every orphan of `owner`, in the order of removal; `origins` are URNs that the stack had and the state lost."""
    result = [
        *_labelled(Kind.QUEUED_RESOURCE, owner, state, found.queued_resources),
        *_labelled(Kind.MODEL, owner, state, found.models),
        *_labelled(Kind.ENDPOINT, owner, state, found.endpoints),
    ]
    for name, endpoint in found.endpoints.items():
        result += _OnEndpoint(owner, state, name, endpoint, frozenset(origins)).orphans()
    order = list(Kind)
    return sorted(result, key=lambda orphan: (order.index(orphan.kind), orphan.name, orphan.deployed_model_id))


def labels_of(kind: Kind, item: Json) -> Json:
    """The labels that say whose the object is; a queued resource has them on the node that it asks for."""
    if kind is Kind.QUEUED_RESOURCE:
        specs = item.get("tpu", {}).get("nodeSpec") or [{}]
        return specs[0].get("node", {}).get("labels", {})
    return item.get("labels", {})


def _labelled(kind: Kind, owner: str, state: State, items: Mapping[Name, Json]) -> Iterator[Orphan]:
    for name, item in items.items():
        if labels_of(kind, item).get(OWNER_LABEL) == owner and not state.knows(name):
            doubtful = kind is Kind.ENDPOINT and _is_claimed_by_another(item, owner)
            yield Orphan(kind, name, _detail(kind, item), state.pending_of(name), unproven=doubtful)


def _is_claimed_by_another(endpoint: Json, owner: str) -> bool:
    """Whether another stack's Deployment serves on the endpoint, whoever made that: it was handed over."""
    claim = endpoint.get("labels", {}).get(CLAIM_LABEL, "")
    return bool(claim) and not is_claim_of(claim, owner)


def _detail(kind: Kind, item: Json) -> str:
    if kind is Kind.QUEUED_RESOURCE:
        return f"{state_of(item)}, holds {chips_of(item)}"
    if kind is Kind.MODEL:
        return f"version {item.get('versionId', '')}"
    count = len(item.get("deployedModels", []))
    return "nothing deployed" if not count else f"{count} deployed"


@dataclass(frozen=True, slots=True)
class _OnEndpoint:
    """What is left over on one endpoint."""

    owner: str
    state: State
    name: Name
    endpoint: Json
    origins: frozenset[str]

    def orphans(self) -> Iterator[Orphan]:
        for deployed in self.endpoint.get("deployedModels", []):
            mark = read_mark(deployed.get("displayName", ""))
            if mark and not self._is_held(deployed["id"], mark.identity) and self._is_ours(mark.identity):
                yield self._orphan(deployed, mark.identity)
        yield from self._left_claim()

    def _is_held(self, key: str, identity: str) -> bool:
        return any(entry.holds(self.name, key, identity, self.owner) for entry in self.state.deployed)

    @property
    def _has_our_label(self) -> bool:
        return self.endpoint.get("labels", {}).get(OWNER_LABEL) == self.owner

    @property
    def _claim(self) -> str:
        return self.endpoint.get("labels", {}).get(CLAIM_LABEL, "")

    def _is_ours(self, identity: str) -> bool:
        return self._has_our_label or self._is_proven(identity)

    def _is_proven(self, identity: str) -> bool:
        """Whether it is one of this owner's Deployments: its URN is known, or its claim tells the owner."""
        claims = is_claim_of(self._claim, self.owner) and self._claim[:12] == identity
        return claims or identity in self._proven()

    def _orphan(self, deployed: Json, identity: str) -> Orphan:
        share = int(self.endpoint.get("trafficSplit", {}).get(deployed["id"], 0))
        pending = self._pending().get(identity)
        detail = f"{share} % of the requests"
        key = deployed["id"]
        return Orphan(Kind.DEPLOYED_MODEL, self.name, detail, pending, key, unproven=self._is_doubtful(identity))

    def _is_doubtful(self, identity: str) -> bool:
        """A Deployment of who knows whom claims this endpoint of ours: it is another stack's, and may be alive."""
        if _is_claimed_by_another(self.endpoint, self.owner):
            return True
        claims = self._claim[:12] == identity
        return claims and self.state.knows(self.name) and not self._is_proven(identity)

    def _pending(self) -> dict[str, Pending]:
        creates = [item for item in self.state.pending if item.token == DEPLOYMENT]
        return {Identity(self.owner, item.urn).hash[:12]: item for item in creates}

    def _proven(self) -> set[str]:
        """The twelve digits of every Deployment of this owner whose URN is known."""
        pending = {item.urn for item in self.state.pending if item.token == DEPLOYMENT}
        urns = pending | {item.origin for item in self.state.deployed} | self.origins
        return {Identity(self.owner, urn).hash[:12] for urn in urns}

    def _left_claim(self) -> Iterator[Orphan]:
        """A claim of ours without its Deployment keeps every other Deployment off the endpoint."""
        held = any(
            item.endpoint.may_be(self.name) and Identity(self.owner, item.origin).claim == self._claim
            for item in self.state.deployed
        )
        goes_anyway = self._has_our_label and not self.state.knows(self.name)
        if is_claim_of(self._claim, self.owner) and not held and not goes_anyway:
            pending = self._pending().get(self._claim[:12])
            yield Orphan(Kind.CLAIM, self.name, "no Deployment holds it", pending, claim=self._claim)
