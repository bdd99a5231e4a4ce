"""Who owns an object at Google, what it was created for, and the names and marks that say so (pure)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.resources.definition import Definition
from tpuserve.resources.diff import with_effect
from tpuserve.resources.fields import Effect

OWNER_LABEL = "tpuserve-owner"
ORIGIN_LABEL = "tpuserve-origin"
CLAIM_LABEL = "tpuserve-deployment"
LABELS = (OWNER_LABEL, ORIGIN_LABEL, CLAIM_LABEL)
READABLE = 40  # characters of an id before its hash: with the hash below every limit (63)
_MARK = re.compile(r" ?\[tpuserve ([0-9a-f]{12})-([0-9a-f]{12})\]$")
SET_OWNER = (
    "set tpuserve:ownerId in the stack's configuration (20 characters of a-z and 0-9, random, one for each stack): "
    "without it nothing that exists is adopted"
)


def digest(*parts: Any, length: int) -> str:
    """Hex digest of any JSON values."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


@dataclass(frozen=True, slots=True)
class Identity:
    """The owner id of a stack and the URN that an object was first created for."""

    owner: str
    origin: str

    @property
    def hash(self) -> str:
        return digest(self.owner, self.origin, length=32)

    @property
    def claim(self) -> str:
        """What holds an endpoint for a Deployment: which one, then whose, for the time when its URN is lost."""
        return f"{self.hash}-{_owner_hash(self.owner)}"

    def labels(self) -> dict[str, str]:
        """Labels of an object of ours; none without an owner id, for then nothing is adopted."""
        return {OWNER_LABEL: self.owner, ORIGIN_LABEL: self.hash} if self.owner else {}

    def has(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels say that the object is this owner's and was created for this origin."""
        return bool(self.owner) and all(labels.get(key) == value for key, value in self.labels().items())

    def mark(self, specification: str) -> str:
        """What the display name of a deployed model ends in."""
        return f" [tpuserve {self.hash[:12]}-{specification}]" if self.owner else ""


def is_claim_of(claim: str, owner: str) -> bool:
    """Whether a Deployment of this owner wrote the claim, whichever it was."""
    return bool(owner) and claim.endswith(f"-{_owner_hash(owner)}")


def _owner_hash(owner: str) -> str:
    return digest(owner, length=12)


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark read from a display name."""

    identity: str
    specification: str


def read_mark(display_name: str) -> Mark | None:
    """The mark at the end of a deployed model's display name."""
    match = _MARK.search(display_name)
    return Mark(match[1], match[2]) if match else None


def without_mark(display_name: str) -> str:
    """The display name as the user gave it."""
    return _MARK.sub("", display_name)


def users_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels less the ones that tpuserve keeps."""
    return {key: value for key, value in labels.items() if key not in LABELS}


def whose(labels: Mapping[str, str], identity: Identity) -> str:
    """Who holds an object that is not ours, for an error."""
    owner = labels.get(OWNER_LABEL)
    if not owner:
        return "it carries no tpuserve-owner label, so something other than tpuserve made it"
    if owner != identity.owner:
        return f"it belongs to the stack with owner id {owner!r} (this stack's is {identity.owner or 'not set'!r})"
    if labels.get(ORIGIN_LABEL) != identity.hash:
        return "it belongs to another resource of this stack (another tpuserve-origin)"
    return "this stack made it for this very resource, from other arguments"


def is_anothers(
    state: Mapping[str, Any], live: Mapping[str, Any], labels: Mapping[str, str], identity: Identity
) -> bool:
    """Whether the object that has the name now is not the one in the state: of another time, and without our labels.

    Ours is ours at any time: a state that was restored may speak of an earlier one. Where the state never saw the
    object (a create that got no answer), the labels alone tell.
    """
    if not state or identity.has(labels):
        return False
    before = state.get("createTime")
    return before != live.get("createTime") if before else bool(identity.owner or labels.get(OWNER_LABEL))


def object_id(definition: Definition, urn: str, owner: str, inputs: Mapping[str, Any], before: str = "") -> Any:
    """A readable id that is the same at each try: prefix and hash of owner, URN and what forces a replacement.

    It is never `before`, the id of the object that is replaced: where only a secret differs, the hash cannot tell.
    """
    forcing = replacing(definition, inputs)
    if holds_unknown(forcing):
        return UNKNOWN
    prefix = readable(urn.rsplit("::", 1)[-1])
    made = f"{prefix}-{digest(owner, urn, forcing, length=10)}"
    return made if made != before else f"{prefix}-{digest(owner, urn, forcing, before, length=10)}"


def replacing(definition: Definition, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs whose change makes another object, less the id."""
    part = with_effect(definition.shape, inputs, Effect.REPLACE)
    part.pop(definition.id_argument, None)
    return part


def readable(name: str) -> str:
    """`name` as the beginning of an id: small letters, digits and hyphens, a letter first."""
    text = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not text or not text[0].isalpha():
        text = f"t-{text}".strip("-")
    return text[:READABLE].rstrip("-")


def holds_unknown(value: Any) -> bool:
    """Whether a value not known yet stands anywhere in `value`."""
    if isinstance(value, Mapping):
        return any(holds_unknown(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_unknown(item) for item in value)
    return value is UNKNOWN
