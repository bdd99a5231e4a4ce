"""The fields that only a discovery document knows, such as a queued resource's provisioningModel.

No published message has them, so they are kept as JSON beside the object, under its name, and put back into every
answer over REST by the same document. A change through gRPC, which cannot say them, leaves them as they are.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tpuserve.emulator.store import BESIDE, Store


class Asked(NamedTuple):
    """What of a request over REST no message has."""

    document: str
    """Name of the discovery document that knows it."""
    field: str
    """Field of the request that it belongs into, in camelCase."""
    values: dict[str, Any]


class Beside:
    """What is kept beside the objects of one emulator."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, name: str, asked: Asked | None) -> None:
        """Puts it beside the object of that name; the caller saves it with the object."""
        if asked is not None:
            kept = merged(self._store.get(BESIDE, name) or {}, {asked.document: asked.values})
            self._store.put(BESIDE, name, kept)

    def took(self, asked: Asked, response: Any) -> None:
        """Keeps what came with a request that made or changed an object, as its response names it."""
        self.keep(self._target(response), asked)
        self._store.save()

    def of(self, name: str, document: str) -> Mapping[str, Any]:
        """What this document alone knows of an object."""
        return (self._store.get(BESIDE, name) or {}).get(document, {})

    def shown(self, document: str, value: Any) -> Any:
        """An answer's JSON with what this document knows of the objects in it."""
        if isinstance(value, list):
            return [self.shown(document, item) for item in value]
        if not isinstance(value, dict):
            return value
        inner = {key: self.shown(document, item) for key, item in value.items()}
        kept = self._store.get(BESIDE, str(value.get("name", ""))) or {}
        return merged(inner, kept[document]) if document in kept else inner

    def _target(self, response: Any) -> str:
        name = str(response.name)
        operation = self._store.get("operations", name)
        return name if operation is None else operation.target


def merged(value: Any, more: Any) -> Any:
    """The one with the other laid over it: objects key by key, lists item by item."""
    if isinstance(value, dict) and isinstance(more, dict):
        joined = {key: merged(value[key], more[key]) if key in value else more[key] for key in more}
        return {**value, **joined}
    if isinstance(value, list) and isinstance(more, list):
        rest = more[len(value) :]
        return [merged(a, b) for a, b in zip(value, more, strict=False)] + value[len(more) :] + rest
    return more
