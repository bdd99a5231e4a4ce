"""The version of what an entry of the state holds, and how an entry of an earlier one becomes one of this.

Every answer that the engine records carries the version as an internal output, in which the engine shows no
difference. What comes back in is brought to this version before anything else looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.provider.call import ResourceError
from tpuserve.provider.values import Properties

STATE_VERSION = 1
KEY = "__stateVersion"
"""Two underscores make a property internal to Pulumi (`resource.IsInternalPropertyKey` of its Go SDK)."""


class StateVersionError(ResourceError):
    """The entry was written by a build that this one knows nothing of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the state has of one resource; outputs hold no version any more."""

    inputs: Properties = field(default_factory=Properties)
    outputs: Properties = field(default_factory=Properties)


Migration = Callable[[Entry], Entry]
MIGRATIONS: dict[tuple[str, int], Migration] = {}
"""Type token and the version that an entry has -> what makes an entry of the next version of it."""


def migrated(
    token: str,
    entry: Entry,
    migrations: Mapping[tuple[str, int], Migration] = MIGRATIONS,
    current: int = STATE_VERSION,
) -> Entry:
    """The entry as this version writes it; one without a version is of the first. Raises StateVersionError."""
    outputs = Properties({key: item for key, item in entry.outputs.values.items() if key != KEY}, entry.outputs.secrets)
    version = entry.outputs.values.get(KEY, 1)
    if not isinstance(version, int) or not 1 <= version <= current:
        raise StateVersionError(
            f"the state was written by a newer tpuserve: its version is {version}, and this one knows up to {current}. "
            "Install the version of tpuserve that wrote it, or a newer one, and run it again; nothing was changed"
        )
    entry = Entry(entry.inputs, outputs)
    for step in range(version, current):
        if migration := migrations.get((token, step)):
            entry = migration(entry)
    return entry


def versioned(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs as the engine is to record them."""
    return {**outputs, KEY: STATE_VERSION}
