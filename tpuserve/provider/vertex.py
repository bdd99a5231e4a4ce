"""What the lifecycles of models and endpoints share: one name shape, one notion of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve.provider.call import ResourceError
from tpuserve.provider.drift import follow
from tpuserve.provider.lifecycle import Inputs
from tpuserve.provider.owned import OwnedLifecycle
from tpuserve.provider.ownership import CLAIM_LABEL, Identity
from tpuserve.resources.fields import Effect
from tpuserve.resources.wire import from_google, to_google


class VertexLifecycle(OwnedLifecycle):
    """A resource named `projects/P/locations/L/<collection>/<id>` with labels."""

    collection: str
    """`models` or `endpoints`."""

    def resource_id(self, inputs: Inputs) -> str:
        return f"{self.parent(inputs)}/{self.collection}/{inputs[self.id_argument]}"

    def parent(self, inputs: Inputs) -> str:
        return f"projects/{inputs['project']}/locations/{inputs['location']}"

    def place(self, resource_id: str) -> Inputs:
        """Project, location and id from a full name; the error says what an import id looks like."""
        parts = resource_id.split("/")
        if len(parts) != 6 or (parts[0], parts[2], parts[4]) != ("projects", "locations", self.collection):
            raise ResourceError(
                f"{resource_id!r} is not an id of {self.definition.token}: "
                f"projects/PROJECT/locations/LOCATION/{self.collection}/ID"
            )
        return {"project": parts[1], "location": parts[3], self.id_argument: parts[5]}

    def body(self, inputs: Inputs, identity: Identity, live: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The object as it should be; a claim on a live endpoint stays."""
        body = to_google(self.definition.shape, inputs)
        claim = (live or {}).get("labels", {}).get(CLAIM_LABEL)
        kept = {CLAIM_LABEL: claim} if claim else {}
        return {**body, "labels": {**body.get("labels", {}), **identity.labels(), **kept}}

    def stale(self, body: Mapping[str, Any], live: Mapping[str, Any]) -> list[str]:
        """Arguments that change in place and are not at Google as they should be."""
        found = from_google(self.definition.shape, live)
        sent = [a for a in self.definition.shape.arguments if not a.field.ours and a.field.effect is Effect.IN_PLACE]
        return [a.wire for a in sent if follow(a, found.get(a.wire), body.get(a.wire)) != body.get(a.wire)]
