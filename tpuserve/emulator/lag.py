"""Reads that are behind: what was changed is seen only after some reads, as where a service answers from a replica.

assumed: no source says that Cloud TPU or Vertex AI do so, and none that they do not; a client has to live with either.
"""

from typing import Any

import msgspec

from tpuserve.emulator.errors import ApiError, not_found
from tpuserve.emulator.settings import Settings

LAGGING = ("GetQueuedResource", "GetNode", "GetModel", "GetEndpoint", "GetDeploymentResourcePool")


class Seen(msgspec.Struct):
    """The answer that was given last, None for NOT_FOUND, and how often since it was no longer true."""

    answer: Any = None
    stale: int = 0


class Lag:
    """The last answer under each name; a name that was never read counts as not found."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._seen: dict[str, Seen] = {}

    def shown(self, name: str, now: Any) -> Any:
        """What a read answers where `now` is true, None for an object that is not there; raises NOT_FOUND."""
        seen = self._seen.setdefault(name, Seen())
        if seen.answer == now or seen.stale >= self._settings.lag:
            seen.answer, seen.stale = _copy(now), 0
        else:
            seen.stale += 1
        if seen.answer is None:
            raise not_found(name)
        return _copy(seen.answer)

    def found(self, name: str, error: ApiError) -> Any:
        """What a read answers whose object is not there any more."""
        try:
            return self.shown(name, None)
        except ApiError:
            raise error from None

    def clear(self) -> None:
        self._seen.clear()


def _copy(answer: Any) -> Any:
    if answer is None:
        return None
    copy = type(answer)()
    copy.CopyFrom(answer)
    return copy
