"""The fields that only a discovery document knows, such as a queued resource's provisioningModel.

No published message has them, so they are kept as JSON beside the object, under its name, and put back into every
answer over REST by the same document. A change through gRPC, which cannot say them, leaves them as they are.
"""

from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.rest.requests import Request
from tpuserve.emulator.store import BESIDE


class Beside:
    """What is kept beside the objects of one emulator."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def took(self, document: str, asked: Request, response: Any) -> None:
        """Keeps what came with a request, by this document, that made or changed an object."""
        if not asked.beside:
            return
        name = self._target(response)
        kept = merged(self._core.store.get(BESIDE, name) or {}, {document: asked.beside})
        self._core.store.put(BESIDE, name, kept)
        self._core.store.save()

    def shown(self, document: str, value: Any) -> Any:
        """An answer's JSON with what this document knows of the objects in it."""
        if isinstance(value, list):
            return [self.shown(document, item) for item in value]
        if not isinstance(value, dict):
            return value
        inner = {key: self.shown(document, item) for key, item in value.items()}
        kept = self._core.store.get(BESIDE, str(value.get("name", ""))) or {}
        return merged(inner, kept[document]) if document in kept else inner

    def _target(self, response: Any) -> str:
        name = str(response.name)
        operation = self._core.store.get("operations", name)
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
